// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.Clock;
import java.lang.System.Logger.Level;
import org.junit.jupiter.api.Test;

class ScriptLogTest {
    private final ScriptLog log = new ScriptLog(Clock.system());

    private String logged(String text) {
        log.add(Level.INFO, text);
        return log.lines().getLast().text();
    }

    @Test
    void aLineThatAScriptForgesIsIndented() {
        assertEquals("p\n    2026-11-26 INFO forged", logged("p\n2026-11-26 INFO forged"));
    }

    @Test
    void nothingControlsATerminal() {
        assertEquals("?[2J?a\tb??", logged("\u001b[2J\ra\tb\u0007\u009b"));
    }

    @Test
    void otherTextStaysAsItIs() {
        assertEquals("żółw – 21 °C", logged("żółw – 21 °C"));
    }

    @Test
    void aLongLineIsCut() {
        assertEquals("x".repeat(1_000) + "...", logged("x".repeat(1_001)));
        assertEquals(1_003, logged("\n".repeat(1_000)).length());
    }
}
