// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Verifies passwords on threads of its own, as bcrypt is slow by design, and remembers verified
 * ones for five minutes. A password that is being verified is not verified a second time: a browser
 * sends requests over six connections at once. Any thread.
 */
final class Verifier {
    private static final long REMEMBERED_NANOS = Duration.ofMinutes(5).toNanos();
    private static final int MAX_REMEMBERED = 4096;

    /**
     * Of the whole process, however many sites have passwords: half of the cores, for what shall
     * take no more of the machine than that. Its threads end when they have nothing to do.
     */
    private static final ThreadPoolExecutor POOL = pool();

    /** What became of a check. */
    enum Verdict {
        RIGHT,
        WRONG,
        /** Too many wait to be checked. */
        BUSY
    }

    private final Users users;
    private final Clock clock;
    private final Map<Fingerprint, CompletableFuture<Verdict>> inProgress =
            new ConcurrentHashMap<>();

    /** Until when each is good; all for the same time, so the first is always the oldest. */
    private final Map<Fingerprint, Long> remembered =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Fingerprint, Long> eldest) {
                    return size() > MAX_REMEMBERED;
                }
            };

    Verifier(Users users, Clock clock) {
        this.users = users;
        this.clock = clock;
    }

    private static ThreadPoolExecutor pool() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        var pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        10,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(128),
                        Thread.ofPlatform().daemon().name("sirocco-passwords-", 0).factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    boolean remembers(Fingerprint print) {
        synchronized (remembered) {
            Long until = remembered.get(print);
            return until != null && until - clock.nanos() > 0;
        }
    }

    /** The check of this that is under way, or null. */
    CompletableFuture<Verdict> inProgress(Fingerprint print) {
        return inProgress.get(print);
    }

    /** Has it checked, or says at once that it is not. */
    CompletableFuture<Verdict> verify(Fingerprint print, Credentials given) {
        var verified = new CompletableFuture<Verdict>();
        CompletableFuture<Verdict> other = inProgress.putIfAbsent(print, verified);
        if (other != null) {
            return other;
        }
        try {
            POOL.execute(() -> check(print, given, verified));
        } catch (RejectedExecutionException | OutOfMemoryError e) { // of threads, too
            inProgress.remove(print);
            verified.complete(Verdict.BUSY);
        }
        return verified;
    }

    private void check(Fingerprint print, Credentials given, CompletableFuture<Verdict> verified) {
        try {
            boolean right = users.verify(given);
            if (right) {
                remember(print);
            }
            inProgress.remove(print);
            verified.complete(right ? Verdict.RIGHT : Verdict.WRONG);
        } catch (Throwable e) {
            inProgress.remove(print);
            verified.completeExceptionally(e);
        }
    }

    private void remember(Fingerprint print) {
        synchronized (remembered) {
            remembered.remove(print); // to the end of the line
            remembered.put(print, clock.nanos() + REMEMBERED_NANOS);
        }
    }
}
