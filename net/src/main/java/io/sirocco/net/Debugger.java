// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.List;

/**
 * Tells whether a debugger may have stopped a thread of this JVM: whether the JVM was started with
 * the agent that debuggers attach to. Any thread.
 */
final class Debugger {
    private Debugger() {}

    /** Returns false where it cannot be known: where the runtime has no {@code java.management}. */
    static boolean isPossible() {
        try { // by reflection, since the module needs java.management for nothing else
            Object runtime =
                    Class.forName("java.lang.management.ManagementFactory")
                            .getMethod("getRuntimeMXBean")
                            .invoke(null);
            var arguments =
                    Class.forName("java.lang.management.RuntimeMXBean")
                            .getMethod("getInputArguments");
            return isAgentIn((List<?>) arguments.invoke(runtime));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }

    static boolean isAgentIn(List<?> arguments) {
        return arguments.stream()
                .map(Object::toString)
                .anyMatch(
                        argument ->
                                argument.startsWith("-agentlib:jdwp")
                                        || argument.startsWith("-Xrunjdwp")
                                        || argument.startsWith("-agentpath:")
                                                && argument.contains("jdwp"));
    }
}
