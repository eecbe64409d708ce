// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.List;
import java.util.function.Consumer;

/** Several monitors as one. Thread-safe if they are. */
record Monitors(List<Monitor> all) implements Monitor {

    @Override
    public void completed(CompletedRequest answered) {
        each(monitor -> monitor.completed(answered));
    }

    @Override
    public void rejected(RejectedRequest rejected) {
        each(monitor -> monitor.rejected(rejected));
    }

    @Override
    public void opened(OpenedConnection opened) {
        each(monitor -> monitor.opened(opened));
    }

    @Override
    public void closed(ClosedConnection closed) {
        each(monitor -> monitor.closed(closed));
    }

    @Override
    public void handlerFailed(String requestId, String request, Throwable thrown) {
        each(monitor -> monitor.handlerFailed(requestId, request, thrown));
    }

    @Override
    public void routeMoved(String route, long millis, StackTraceElement[] stack) {
        each(monitor -> monitor.routeMoved(route, millis, stack));
    }

    @Override
    public void loopDied(Throwable why) {
        each(monitor -> monitor.loopDied(why));
    }

    /** Notifies all monitors, then throws the exception that one of them threw. */
    private void each(Consumer<Monitor> call) {
        RuntimeException first = null;
        for (Monitor monitor : all) {
            try {
                call.accept(monitor);
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
