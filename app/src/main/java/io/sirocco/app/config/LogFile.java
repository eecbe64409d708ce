// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;

/** The destination of a log. Immutable. */
public sealed interface LogFile {

    /** {@code ""}: no access log; for the log of the server, standard error. */
    record Unset() implements LogFile {
        @Override
        public String toString() {
            return "";
        }
    }

    /** {@code "-"}. */
    record StandardOutput() implements LogFile {
        @Override
        public String toString() {
            return "-";
        }
    }

    /** A file in an existing directory. */
    record Named(Path path) implements LogFile {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    static LogFile read(Table table, boolean output) {
        return table.value(
                "file",
                Node.of(""),
                Values.text(
                        name -> {
                            if (name.isEmpty()) return new Unset();
                            if (name.equals("-") && output) return new StandardOutput();
                            return new Named(Paths.output(name, table.folder()));
                        }));
    }
}
