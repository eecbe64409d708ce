// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Connections that this process holds, on one loop. Used by one thread. */
final class OwnPart implements Part {
    private final Share share;
    private final Loops loops;
    private final Loop loop;
    private Keeper keeper; // the loop's; null until it begins

    private OwnPart(Share share, Loops loops) {
        this.share = share;
        this.loops = loops;
        this.loop = loops.all().getFirst();
    }

    /**
     * Starts the loop.
     *
     * @throws IOException when the transport cannot be had
     */
    static OwnPart start(Share share) throws IOException {
        return new OwnPart(
                share,
                Loops.start(
                        s ->
                                s.loops(1)
                                        .transport(share.transport())
                                        .name("hold")
                                        .withoutWatchdog()));
    }

    @Override
    public void begin() {
        keeper = call(() -> new Keeper(loop, share));
    }

    @Override
    public Report report() {
        return call(keeper::report);
    }

    @Override
    public void rest() {
        call(
                () -> {
                    keeper.rest();
                    return null;
                });
    }

    @Override
    public long liveHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    /** What {@code question} answers on the loop. */
    private <T> T call(Supplier<T> question) {
        return CompletableFuture.supplyAsync(question, loop).join();
    }

    @Override
    public void end() {}

    @Override
    public void close() {
        if (keeper != null) {
            rest(); // or what cannot be opened any more would be tried again
        }
        loops.close();
    }
}
