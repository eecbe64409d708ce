// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What came of a command line: {@code bench} and its words. Immutable. */
record Run(int exitCode, String out, String err) {

    static Run of(String... words) {
        var out = new StringWriter();
        var err = new StringWriter();
        var line = new CommandLine(new Bench());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return new Run(line.execute(words), out.toString(), err.toString());
    }
}
