// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tells of certificates that have expired, or expire within 14 days: at the start, after each
 * reload and once a day. Any thread.
 */
final class CertificateExpiry implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(CertificateExpiry.class);
    private static final Duration SOON = Duration.ofDays(14);
    private static final long DAILY = 24 * 60;

    private final Supplier<? extends Collection<X509Certificate>> certificates;
    private final CountDownLatch end = new CountDownLatch(1);
    private boolean daily; // with the lock of this held

    CertificateExpiry(Supplier<? extends Collection<X509Certificate>> certificates) {
        this.certificates = certificates;
    }

    static boolean isExpired(X509Certificate certificate) {
        return end(certificate).isBefore(Instant.now());
    }

    private static Instant end(X509Certificate certificate) {
        return certificate.getNotAfter().toInstant();
    }

    /** Returns a sentence about a certificate that has expired or soon will. */
    static Optional<String> warning(X509Certificate certificate) {
        Instant end = end(certificate);
        Duration left = Duration.between(Instant.now(), end);
        if (left.compareTo(SOON) > 0) return Optional.empty();
        String when = end.truncatedTo(ChronoUnit.SECONDS).toString();
        String name = "the certificate of " + certificate.getSubjectX500Principal().getName();
        return Optional.of(
                left.isNegative()
                        ? name + " has expired: it was valid until " + when
                        : name + " expires in " + left.toDays() + " days: on " + when);
    }

    private static void log(Collection<X509Certificate> certificates) {
        for (X509Certificate each : certificates) {
            String when = isExpired(each) ? "now" : "then";
            String end = "; clients refuse it " + when + ", so renew it";
            warning(each).ifPresent(it -> LOG.get().log(Level.WARNING, it + end));
        }
    }

    /**
     * Logs the warnings now and, from the first certificate on, once a day until it is closed. To
     * be called at the start and after each reload.
     */
    synchronized void look() {
        Collection<X509Certificate> all = certificates.get();
        log(all);
        if (all.isEmpty() || daily) return;
        daily = true;
        Thread.ofVirtual().name("sirocco-certificates").start(this::lookDaily);
    }

    private void lookDaily() {
        try {
            while (!end.await(DAILY, TimeUnit.MINUTES)) log(certificates.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // asks this thread to end
        }
    }

    @Override
    public void close() {
        end.countDown();
    }
}
