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

/** JFR: a task blocked a loop. */
@Name("sirocco.LoopBlocked")
@Label("Loop Blocked")
@Category("Sirocco")
@StackTrace(false)
final class LoopBlockedEvent extends Event {
    @Label("Loop")
    String loop;

    @Label("Duration")
    @Timespan(Timespan.MILLISECONDS)
    long blocked;

    @Label("Blocker")
    String blocker;

    static void commit(Loop loop, long millis, StackTraceElement[] stack) {
        var event = new LoopBlockedEvent();
        if (event.shouldCommit()) {
            event.loop = loop.toString();
            event.blocked = millis;
            event.blocker =
                    Arrays.stream(stack)
                            .map(StackTraceElement::toString)
                            .collect(Collectors.joining("\n"));
            event.commit();
        }
    }
}
