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
final class CertificateExpiry {
    private static final LazyLogger LOG = LazyLogger.of(CertificateExpiry.class);
    private static final Duration SOON = Duration.ofDays(14);
    private static final long DAILY = 24 * 60;

    private CertificateExpiry() {}

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

    /** Logs the warnings. */
    static void log(Collection<X509Certificate> certificates) {
        for (X509Certificate each : certificates) {
            String when = isExpired(each) ? "now" : "then";
            String end = "; clients refuse it " + when + ", so renew it";
            warning(each).ifPresent(it -> LOG.get().log(Level.WARNING, it + end));
        }
    }

    /** Logs the warnings now, and once a day until {@code end}. */
    static void watch(Supplier<Collection<X509Certificate>> certificates, CountDownLatch end) {
        log(certificates.get());
        Thread.ofVirtual()
                .name("sirocco-certificates")
                .start(
                        () -> {
                            try {
                                while (!end.await(DAILY, TimeUnit.MINUTES)) log(certificates.get());
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt(); // asks this thread to end
                            }
                        });
    }
}
