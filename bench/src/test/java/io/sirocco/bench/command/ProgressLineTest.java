// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.Result;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private final StringWriter err = new StringWriter();

    @Test
    void theLastOneIsWipedOutByTheNext() {
        var line = new ProgressLine(new PrintWriter(err), true);
        line.show("a long one");
        line.show("short");
        line.show("longer");
        line.close();
        assertEquals("\ra long one\rshort     \rlonger\r      \r", err.toString());
    }

    @Test
    void itNamesTheSecondTheRateTheDelayAndTheErrors() {
        var line = new ProgressLine(new PrintWriter(err), true);
        line.show(new Result.Second(2_004, 777, 100, 1_250, 3));
        String text = err.toString();
        assertTrue(text.matches("\r +2 s +777 requests/s +p99 1.25 ms +errors 3"), text);
    }

    @Test
    void withoutATerminalThereIsNone() {
        var line = new ProgressLine(new PrintWriter(err), false);
        line.show("a line");
        line.close();
        assertEquals("", err.toString());
    }

    @Test
    void nothingIsWipedWhereNothingWasShown() {
        new ProgressLine(new PrintWriter(err), true).close();
        assertEquals("", err.toString());
    }
}
