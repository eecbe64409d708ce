// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.Arrays;
import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** JFR: a task held a loop. */
@Name("sirocco.LoopHeld")
@Label("Loop Held")
@Category("Sirocco")
@StackTrace(false)
final class LoopHeldEvent extends Event {
    @Label("Loop")
    String loop;

    @Label("Held")
    @Timespan(Timespan.MILLISECONDS)
    long held;

    @Label("Holder")
    String holder;

    static void commit(Loop loop, long millis, StackTraceElement[] stack) {
        var event = new LoopHeldEvent();
        if (event.shouldCommit()) {
            event.loop = loop.toString();
            event.held = millis;
            event.holder =
                    Arrays.stream(stack)
                            .map(StackTraceElement::toString)
                            .collect(Collectors.joining("\n"));
            event.commit();
        }
    }
}
