// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The state of Sirocco's own tree, as Git knows it. */
final class Checkout {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private Checkout() {}

    /**
     * The abbreviated commit of the tree that a folder belongs to, with {@code +} behind it when
     * files that Git knows have changed; empty outside a checkout, or without Git.
     */
    static String commit(Path folder) throws InterruptedException {
        try {
            String commit = git(folder, "rev-parse", "--short", "HEAD");
            boolean changed = !git(folder, "status", "--porcelain", "-uno").isEmpty();
            return changed ? commit + "+" : commit;
        } catch (IOException none) {
            return "";
        }
    }

    private static String git(Path folder, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("git", "-C", folder.toString()));
        command.add("--no-optional-locks");
        command.addAll(List.of(arguments));
        var answer = Subprocess.ask(command, LIMIT);
        if (answer.status() != 0) {
            throw new IOException("no checkout");
        }
        return answer.output().strip();
    }
}
