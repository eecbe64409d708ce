// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Chooses one of the {@link Candidates}, of which there is at least one. Each loop has its own.
 * Loop-confined.
 */
sealed interface Balancer {
    /**
     * Returns the index of the chosen candidate; {@code key} is the hash of the request's value.
     */
    int choose(Candidates among, long key);

    static Balancer of(Balance balance, RandomGenerator random) {
        return switch (balance) {
            case ROUND_ROBIN -> new RoundRobin();
            case LEAST_REQUESTS -> new LeastRequests();
            case RANDOM -> new TwoChoices(random);
            case HASH -> new RendezvousHash();
        };
    }

    /**
     * Smooth weighted round robin, as in nginx: each round adds its weight to every candidate; the
     * largest is chosen and pays the sum of all weights. Weights 5, 1, 1 give a a b a c a a.
     */
    final class RoundRobin implements Balancer {
        private double[] credit = {}; // by the place of the server

        @Override
        public int choose(Candidates among, long key) {
            int last = among.places[among.count - 1];
            if (last >= credit.length) {
                credit = Arrays.copyOf(credit, last + 1);
            }
            double total = 0;
            int best = 0;
            for (int i = 0; i < among.count; i++) {
                total += among.weights[i];
                credit[among.places[i]] += among.weights[i];
                if (credit[among.places[i]] > credit[among.places[best]]) {
                    best = i;
                }
            }
            credit[among.places[best]] -= total;
            return best;
        }
    }

    /** The fewest requests in progress for the weight; equals take turns. */
    final class LeastRequests implements Balancer {
        private int turn;

        @Override
        public int choose(Candidates among, long key) {
            int from = Math.floorMod(turn++, among.count);
            int best = from;
            for (int n = 1; n < among.count; n++) {
                int i = (from + n) % among.count;
                if (among.load(i) < among.load(best)) {
                    best = i;
                }
            }
            return best;
        }
    }

    /** The better of two that are drawn at random, by weight. */
    final class TwoChoices implements Balancer {
        private final RandomGenerator random;

        TwoChoices(RandomGenerator random) {
            this.random = random;
        }

        @Override
        public int choose(Candidates among, long key) {
            int first = draw(among, -1);
            if (among.count == 1) {
                return first;
            }
            int second = draw(among, first);
            return among.load(second) < among.load(first) ? second : first;
        }

        private int draw(Candidates among, int without) {
            double total = 0;
            for (int i = 0; i < among.count; i++) {
                total += i == without ? 0 : among.weights[i];
            }
            double at = random.nextDouble() * total;
            int drawn = -1;
            for (int i = 0; i < among.count; i++) {
                if (i != without) {
                    drawn = i;
                    at -= among.weights[i];
                    if (at < 0) {
                        break;
                    }
                }
            }
            return drawn;
        }
    }

    /**
     * Weighted rendezvous hashing: every server draws a number for the key, and the best one wins.
     * A server that leaves changes no other server's number.
     */
    final class RendezvousHash implements Balancer {
        @Override
        public int choose(Candidates among, long key) {
            int best = 0;
            double bestScore = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < among.count; i++) {
                UpstreamServer server = among.servers[i];
                long mixed = mix(key ^ server.hash);
                double unit = ((mixed >>> 11) + 0.5) * 0x1p-53; // in (0, 1)
                double score = -server.weight / Math.log(unit); // a slow start moves no values
                if (score > bestScore) {
                    bestScore = score;
                    best = i;
                }
            }
            return best;
        }
    }

    /** Returns the hash of a value. */
    static long hash(String value) {
        long hash = 0xcbf29ce484222325L; // FNV-1a
        for (int i = 0; i < value.length(); i++) {
            hash = (hash ^ value.charAt(i)) * 0x100000001b3L;
        }
        return mix(hash);
    }

    /** The finaliser of SplitMix64, which spreads each bit over all others. */
    private static long mix(long bits) {
        long z = bits;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
