// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Reports that an event loop has not ended its turn for {@link Settings#maxTurnMillis}, and is
 * dead. Its stack trace is that of the loop, and its suppressed exceptions have those of the
 * virtual threads that the loop runs or would run next. Immutable.
 */
public final class LoopStalledException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    LoopStalledException(String message, StackTraceElement[] stack) {
        super(message);
        setStackTrace(stack);
    }
}
