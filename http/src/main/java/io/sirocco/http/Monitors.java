// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.List;
import java.util.function.Consumer;

/** Several monitors as one. As safe as they are. */
record Monitors(List<Monitor> all) implements Monitor {

    @Override
    public void answered(Answered answered) {
        tell(monitor -> monitor.answered(answered));
    }

    @Override
    public void rejected(Rejected rejected) {
        tell(monitor -> monitor.rejected(rejected));
    }

    @Override
    public void opened(Opened opened) {
        tell(monitor -> monitor.opened(opened));
    }

    @Override
    public void closed(Closed closed) {
        tell(monitor -> monitor.closed(closed));
    }

    @Override
    public void failed(String requestId, Throwable thrown) {
        tell(monitor -> monitor.failed(requestId, thrown));
    }

    @Override
    public void moved(String route, long millis, StackTraceElement[] stack) {
        tell(monitor -> monitor.moved(route, millis, stack));
    }

    @Override
    public void died(Throwable why) {
        tell(monitor -> monitor.died(why));
    }

    /** What one throws is thrown when the others have been told. */
    private void tell(Consumer<Monitor> news) {
        RuntimeException first = null;
        for (Monitor monitor : all) {
            try {
                news.accept(monitor);
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
