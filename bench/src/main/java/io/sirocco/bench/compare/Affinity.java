// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Pins this process, with all its threads and those that they start later, to one core; {@link
 * #close} gives its cores back. So JIT compiler and collector of the generator share that core,
 * too.
 */
final class Affinity implements Closeable {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int ATTEMPTS = 3;

    private final String cpusBefore;

    private Affinity(String cpusBefore) {
        this.cpusBefore = cpusBefore;
    }

    /**
     * Pins it.
     *
     * @throws IOException when that core is not to be had
     */
    static Affinity pin(int cpu) throws IOException, InterruptedException {
        String before = taskset("-cp", pid());
        pinAll("" + cpu);
        return new Affinity(before.substring(before.lastIndexOf(' ') + 1).strip());
    }

    /** A thread that ends meanwhile makes it fail: then once more. */
    private static void pinAll(String cpus) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                taskset("-acp", cpus, pid());
                return;
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static String pid() {
        return "" + ProcessHandle.current().pid();
    }

    private static String taskset(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("taskset"));
        command.addAll(List.of(arguments));
        var answer = Subprocess.ask(command, LIMIT);
        if (answer.status() != 0) {
            throw new IOException("cannot pin the generator: " + String.join(" ", command));
        }
        return answer.output();
    }

    /** As far as that goes: what was measured counts more. */
    @Override
    public void close() {
        try {
            pinAll(cpusBefore);
        } catch (IOException e) {
            // It stays where it is.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
