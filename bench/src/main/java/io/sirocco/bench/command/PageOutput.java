// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** How a result is shown that there is a page for, too. */
final class PageOutput extends Output {
    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page with the latency curve and the rate over time.")
    private Path html;

    /** Writes the page if one is asked for. */
    void page(Supplier<String> page) throws IOException {
        if (html != null) {
            Files.writeString(html, page.get());
        }
    }
}
