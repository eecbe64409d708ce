// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.file.SharedFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users of an open file on many threads: it is closed once, by the last one, and stays closed. */
@Timeout(60)
class OpenFileTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 300;

    @TempDir Path folder;
    private Path path;

    private interface Step {
        void run() throws Exception;
    }

    @BeforeEach
    void write() throws Exception {
        path = Files.writeString(folder.resolve("file"), "content");
    }

    private static void onAllThreads(Step step) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            var barrier = new CyclicBarrier(THREADS);
            var all = new ArrayList<Future<?>>();
            for (int i = 0; i < THREADS; i++) {
                all.add(
                        threads.submit(
                                () -> {
                                    barrier.await();
                                    step.run();
                                    return null;
                                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    @Test
    void whoHasRetainedItCanReadAndNobodyBringsItBack() throws Exception {
        int before = Rig.openDescriptors();
        for (int round = 0; round < ROUNDS; round++) {
            OpenFile file = OpenFile.open(path);
            var owner = new AtomicInteger(1);
            onAllThreads(
                    () -> {
                        for (int i = 0; i < 20 && file.retain(); i++) {
                            assertEquals(7, file.read(new byte[7], 0, 7, 0));
                            if (i == 10 && owner.getAndSet(0) == 1) {
                                file.release();
                            }
                            file.release();
                        }
                    });
            assertFalse(file.retain());
            file.release(); // once too often
            assertFalse(file.retain());
        }
        assertTrue(Rig.openDescriptors() <= before, "descriptors were left behind");
    }

    @Test
    void allThreadsGetTheSameChannel() throws Exception {
        int before = Rig.openDescriptors();
        for (int round = 0; round < ROUNDS; round++) {
            OpenFile file = OpenFile.open(path);
            Set<FileChannel> channels =
                    Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
            onAllThreads(() -> channels.add(((SharedFile) file).channel()));
            assertEquals(1, channels.size());
            assertSame(channels.iterator().next(), ((SharedFile) file).channel());
            assertTrue(((SharedFile) file).channel().isOpen());
            file.release();
        }
        assertTrue(Rig.openDescriptors() <= before, "descriptors were left behind");
    }
}
