// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The main class of a child. Its first line of input is its {@link Share}; then each line is a
 * {@link Word}, and is answered by one line. It ends with its input, so it ends with its parent.
 */
final class PartProcess {
    private static final long LONGEST_SECONDS = 20;

    /** What a child can be told. */
    enum Word {
        BEGIN,
        REPORT,
        REST,
        HEAP
    }

    private PartProcess() {}

    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Runnable ended = outliveCtrlC();
        try (Part part = OwnPart.start(PartLine.read(in.readLine(), Share.class))) {
            for (String line; (line = in.readLine()) != null; ) {
                System.out.println(PartLine.of(answer(part, Word.valueOf(line))));
            }
        } finally {
            ended.run();
        }
    }

    private static Object answer(Part part, Word word) throws IOException {
        return switch (word) {
            case BEGIN -> {
                part.begin();
                yield word;
            }
            case REPORT -> part.report();
            case REST -> {
                part.rest();
                yield word;
            }
            case HEAP -> part.liveHeap();
        };
    }

    /**
     * Ctrl-C reaches every process of the terminal; this one goes on until its input ends, for its
     * last report. The caller runs what is returned when that has come.
     */
    private static Runnable outliveCtrlC() {
        var ended = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    try {
                                        boolean ignored =
                                                ended.await(LONGEST_SECONDS, TimeUnit.SECONDS);
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                }));
        return ended::countDown;
    }
}
