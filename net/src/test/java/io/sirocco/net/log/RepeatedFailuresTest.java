// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Nobody fills the log by failures that he causes. */
class RepeatedFailuresTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5 * SECOND); // it wraps around
    private final RepeatedFailures failures =
            new RepeatedFailures(
                    LazyLogger.of(RepeatedFailuresTest.class), Level.DEBUG, nanos::get);

    @Test
    void oneOfAKindIsLoggedInTenSecondsWithTheNumberOfTheOthers() {
        assertEquals(0, failures.leftOut("jar"));
        for (int i = 0; i < 1_000; i++) {
            assertEquals(-1, failures.leftOut("jar"));
        }
        assertEquals(0, failures.leftOut("lid"), "another kind");
        nanos.addAndGet(10 * SECOND - 1);
        assertEquals(-1, failures.leftOut("jar"));
        nanos.addAndGet(1);
        assertEquals(1_001, failures.leftOut("jar"));
        assertEquals(-1, failures.leftOut("jar"));
        nanos.addAndGet(100 * SECOND);
        assertEquals(1, failures.leftOut("jar"));
        nanos.addAndGet(10 * SECOND);
        assertEquals(0, failures.leftOut("jar"));
    }

    @Test
    void mistakesOfAProgramInOneLineOfALibraryAreOfDifferentKinds() {
        assertEquals(kind("app$boom", 4), kind("app$boom", 4));
        assertNotEquals(kind("app$boom", 4), kind("app$boom", 5));
        assertNotEquals(kind("app$boom", 4), kind("app$bang", 4));
    }

    private static String kind(String className, int line) {
        var thrown = new ClassCastException("a message, which a client may choose");
        thrown.setStackTrace(
                new StackTraceElement[] {
                    new StackTraceElement("clojure.lang.Numbers", "ops", "Numbers.java", 1095),
                    new StackTraceElement("java.util.List", "forEach", "List.java", 7),
                    new StackTraceElement(className, "invoke", "app.clj", line),
                    new StackTraceElement("ring.middleware.params", "invoke", "params.clj", 1)
                });
        return RepeatedFailures.kind("request", thrown);
    }

    @Test
    void kindsWithoutNumberShareOne() {
        int logged = 0;
        for (int i = 0; i < 100_000; i++) {
            logged += failures.leftOut("kind " + i) >= 0 ? 1 : 0;
        }
        assertTrue(logged <= 257, logged + " were logged");
    }
}
