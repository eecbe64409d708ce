// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Request;
import io.sirocco.net.Clock;
import io.sirocco.net.Loop;
import io.sirocco.net.limit.Ip;
import io.sirocco.net.limit.TokenBuckets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The wrong passwords, tickets and tokens that one address may offer, be it an IPv4 address or an
 * IPv6 network of 64 bits, on this node: see {@link LiveSettings#guesses}. Programs that accept the
 * same password elsewhere count it here, too:
 *
 * <pre>
 *   take ── not 0 ──▶ refuse, and do not look at the secret
 *     └── 0 ──▶ verify ──▶ verified, however that ends: a guess that is not wrong is given back
 * </pre>
 *
 * <p>While all guesses of an address are taken by secrets that are being verified, further ones
 * wait for the result: many wrong ones at the same time are no more than one after the other, and
 * many right ones are all admitted. Any thread.
 */
public final class Guesses {
    private static final int ADDRESSES = 16_384;

    private final TokenBuckets limit; // null where there is none
    private final Function<Request, String> address;
    private final long patience; // nanoseconds
    private final Map<String, Verifying> verifying = new HashMap<>(); // by network; its own lock

    /** Secrets of one network that are being verified, and those that wait for the results. */
    private static final class Verifying {
        int count;
        final ArrayDeque<CompletableFuture<Void>> waiting = new ArrayDeque<>(0);
    }

    Guesses(LiveSettings settings) {
        Duration each = settings.perGuess;
        long longest = Long.MAX_VALUE / 4 / TimeUnit.NANOSECONDS.convert(each);
        long most = Math.min(settings.guesses, Math.max(1, longest));
        this.limit =
                most == 0 ? null : TokenBuckets.ofGuesses(1, each, most, ADDRESSES, Clock.system());
        this.address = settings.address;
        this.patience = TimeUnit.NANOSECONDS.convert(settings.connectTimeout) / 2;
    }

    /**
     * Takes a guess of the client of a request. Waits while that depends on others that are being
     * verified, up to half of {@link LiveSettings#connectTimeout}; not on the own thread of a loop,
     * as in {@code INLINE} handlers.
     *
     * @return zero when its secret may be verified: {@link #verified} must follow, also after an
     *     exception; else the time until it may try again
     */
    public Duration take(Request request) {
        return take(address.apply(request));
    }

    /**
     * Ends the verification of a guess that was taken. It counts if the secret is wrong, not if it
     * is right or cannot be verified.
     */
    public void verified(Request request, boolean wrong) {
        verified(address.apply(request), wrong);
    }

    Duration take(String client) {
        byte[] key = limit == null ? null : bytes(client);
        if (key == null) {
            return Duration.ZERO;
        }
        String network = network(client);
        long giveUp = System.nanoTime() + patience;
        while (true) {
            Taken taken = take(key, network);
            if (taken.turn == null || !await(network, taken.turn, giveUp)) {
                return Duration.ofNanos(taken.nanos);
            }
        }
    }

    /** The time until the next guess, and what completes when to try again; null not to wait. */
    private record Taken(long nanos, CompletableFuture<Void> turn) {}

    private Taken take(byte[] key, String network) {
        synchronized (verifying) {
            long wait = limit.take(key);
            Verifying mine = verifying.get(network);
            if (wait == 0) {
                if (mine == null) {
                    mine = new Verifying();
                    verifying.put(network, mine);
                }
                mine.count++;
            } else if (mine != null && !Loop.isLoopThread()) {
                var turn = new CompletableFuture<Void>();
                mine.waiting.add(turn);
                return new Taken(wait, turn);
            }
            return new Taken(wait, null);
        }
    }

    /** Returns whether there is something new to try; not when it has taken too long. */
    private boolean await(String network, CompletableFuture<Void> turn, long giveUp) {
        try {
            turn.get(giveUp - System.nanoTime(), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // it is refused
        }
        synchronized (verifying) {
            Verifying mine = verifying.get(network);
            if (mine != null) {
                mine.waiting.remove(turn);
            }
        }
        return !turn.cancel(false); // it was its turn at this moment
    }

    void verified(String client, boolean wrong) {
        byte[] key = limit == null ? null : bytes(client);
        if (key == null) {
            return;
        }
        synchronized (verifying) {
            String network = network(client);
            Verifying mine = verifying.get(network);
            if (mine == null) {
                return; // the program has said it before
            }
            if (!wrong) {
                limit.giveBack(key);
            }
            mine.count--;
            if (mine.count == 0) {
                verifying.remove(network);
                mine.waiting.forEach(each -> each.complete(null));
            } else if (!wrong) {
                wakeOne(mine);
            }
        }
    }

    private static void wakeOne(Verifying mine) {
        boolean woken = false;
        while (!woken && !mine.waiting.isEmpty()) {
            woken = mine.waiting.poll().complete(null);
        }
    }

    /** What stands for a client, whatever the program takes for its address; null for nobody. */
    private static byte[] bytes(String client) {
        byte[] ip = Ip.bytes(client);
        if (ip != null || client.equals(LiveSettings.UNIX)) {
            return ip;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(client.getBytes(UTF_8));
            return Arrays.copyOf(digest, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    /** What counts as one client: an IPv6 network of 64 bits, or the address as it is. */
    static String network(String client) {
        byte[] ip = Ip.bytes(client);
        return ip == null || Ip.isV4(ip) ? client : Long.toHexString(Ip.high(ip)) + "::/64";
    }
}
