// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.hold.Processes.Use;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Looks at the server's processes while they are at work. What they use before the first connection
 * is noted when it is made. Used by one thread.
 */
public final class ServerWatch {
    private final Processes processes;
    private final boolean heap; // is to be looked at
    private final OptionalLong heapBefore;
    private final UsedHeap usedHeap;
    private final Use before;
    private Use now;
    private long rssMost;

    private ServerWatch(Processes processes, Use now, boolean heap) {
        this.processes = processes;
        this.heap = heap;
        this.heapBefore = liveHeap();
        this.usedHeap = UsedHeap.of(processes);
        this.now = now;
        this.before = look(); // behind the collection
    }

    /**
     * Empty when the server's process is not on this machine, or not to be seen.
     *
     * @param pid found by the socket when it is not known
     */
    public static Optional<ServerWatch> on(InetSocketAddress server, OptionalLong pid) {
        return on(server, pid, true);
    }

    /** The same, with or without a look at the heaps of JVMs. */
    static Optional<ServerWatch> on(InetSocketAddress server, OptionalLong pid, boolean heap) {
        Optional<Processes> processes =
                pid.isPresent()
                        ? Optional.of(new Processes(List.of(pid.getAsLong())))
                        : Listening.on(server);
        return processes.flatMap(p -> p.use().map(use -> new ServerWatch(p, use, heap)));
    }

    private OptionalLong liveHeap() {
        return heap ? LiveHeap.of(processes) : OptionalLong.empty();
    }

    /** What they have used until now; until the last look, when they have ended. */
    public Use look() {
        now = processes.use().orElse(now);
        rssMost = Math.max(rssMost, now.rss());
        return now;
    }

    Processes processes() {
        return processes;
    }

    /**
     * Returns what the processes use now.
     *
     * @param cpu how much of one core they used since the last time
     */
    ProcessUse use(double cpu) {
        return new ProcessUse(usedHeap.now(), now.rss(), cpu, processes.descriptorsAtOnce());
    }

    /**
     * What it cost to hold connections until now.
     *
     * @param from at the beginning of the holding phase
     * @param to at its end
     * @param seconds between them
     */
    public ServerCost cost(Use from, Use to, double seconds, OptionalDouble idleShare) {
        Use end = look();
        int descriptors = processes.descriptors();
        double user = (to.userMillis() - from.userMillis()) / 1e3;
        double system = (to.systemMillis() - from.systemMillis()) / 1e3;
        return new ServerCost(
                processes.pids(),
                heapBefore,
                liveHeap(),
                before.rss(),
                end.rss(),
                rssMost,
                descriptors,
                user,
                system,
                seconds == 0 ? 0 : (user + system) / seconds,
                idleShare);
    }
}
