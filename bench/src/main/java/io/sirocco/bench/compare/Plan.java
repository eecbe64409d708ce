// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What a race is to do. Immutable.
 *
 * @param works names of works and of groups of works; see docs/bench.md
 * @param peers names of folders in {@code peersDir}, or {@code all}; the floor and ours take part
 *     in any case
 * @param rounds how often each peer does each work, 1 to 1000
 * @param seconds how long each time, 0.1 to 3600
 * @param warmUp how long a server on the JVM is warmed up before each workload, in seconds, 0.1 to
 *     3600; twice the time of a round at least
 * @param seed of the order within the rounds
 * @param peersDir the folder of the peers, such as bench/peers; they are built beside it, in
 *     target/peers
 * @param out a folder, made when it is not there, for logs
 * @param serverCpu the core that each server is pinned to
 * @param generatorCpu the core that this process is pinned to while it measures, when the machine
 *     has more than one
 */
public record Plan(
        List<String> works,
        List<String> peers,
        int rounds,
        double seconds,
        double warmUp,
        long seed,
        Path peersDir,
        Path out,
        int serverCpu,
        int generatorCpu) {

    /** The warm-up unless told otherwise. */
    public static final double WARM_UP = 15;

    /** The core of the servers unless told otherwise. */
    public static final int SERVER_CPU = 0;

    /** The core of the generator unless told otherwise. */
    public static final int GENERATOR_CPU = 1;

    /**
     * @throws IllegalArgumentException when a number is out of its bounds
     */
    public Plan {
        require(rounds >= 1 && rounds <= 1_000, "rounds must be from 1 to 1000, not " + rounds);
        require(
                seconds >= 0.1 && seconds <= 3_600,
                "seconds must be from 0.1 to 3600, not " + seconds);
        require(
                warmUp >= 0.1 && warmUp <= 3_600,
                "the warm-up must be from 0.1 to 3600 seconds, not " + warmUp);
        require(serverCpu >= 0, "the CPU of the servers must be at least 0, not " + serverCpu);
        require(
                generatorCpu >= 0,
                "the CPU of the generator must be at least 0, not " + generatorCpu);
        peersDir = peersDir.toAbsolutePath().normalize();
        out = out.toAbsolutePath().normalize();
    }

    Path logs() {
        return out.resolve("logs");
    }

    /** Where peers are built. */
    Path builds() {
        return peersDir.resolveSibling("target").resolve("peers");
    }

    List<PeerProgram> programs() {
        return Peers.named(peers, peersDir).stream()
                .map(
                        name ->
                                new PeerProgram(
                                        peersDir.resolve(name), builds().resolve(name), logs()))
                .toList();
    }

    /** The server behind the proxies. */
    PeerProgram upstream() {
        return new PeerProgram(
                peersDir.resolve(Upstream.NAME), builds().resolve(Upstream.NAME), logs());
    }

    /** The command line that makes such a race again. */
    String command() {
        return "./sirocco bench compare --work %s --peers %s --rounds %d --seconds %s%s --seed %d%s%s"
                .formatted(
                        String.join(",", works),
                        peers.isEmpty() ? Race.OURS : String.join(",", peers),
                        rounds,
                        shortest(seconds),
                        warmUp == WARM_UP ? "" : " --warm-up " + shortest(warmUp),
                        seed,
                        serverCpu == SERVER_CPU ? "" : " --server-cpu " + serverCpu,
                        generatorCpu == GENERATOR_CPU ? "" : " --generator-cpu " + generatorCpu);
    }

    private static String shortest(double number) {
        return number == Math.rint(number)
                ? String.format(Locale.ROOT, "%.0f", number)
                : Double.toString(number);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
