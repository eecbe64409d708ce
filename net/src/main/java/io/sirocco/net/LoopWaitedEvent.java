// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.Arrays;
import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * JFR: the own code of a loop has waited for a lock. The JDK's events of locks leave out virtual
 * threads that are unmounted while they wait.
 */
@Name("sirocco.LoopWaited")
@Label("Loop Waited")
@Description(
        "The loop's own code has waited for a lock; other threads of the loop have run meanwhile")
@Category("Sirocco")
@StackTrace(false)
final class LoopWaitedEvent extends Event {
    @Label("Loop")
    String loop;

    @Label("Waiter")
    @Description("The stack of the loop's own code, innermost frame first")
    String waiter;

    /** Begins an event for {@code loop}, which is unmounted; null when it is not recorded. */
    static LoopWaitedEvent begin(Thread loop) {
        var event = new LoopWaitedEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        event.loop = loop.getName();
        event.waiter =
                Arrays.stream(loop.getStackTrace())
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining("\n"));
        return event;
    }
}
