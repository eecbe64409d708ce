// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import io.sirocco.http.Monitor.CompletedRequest;
import java.util.HashMap;
import java.util.Map;

/**
 * What one loop has answered on one route. Only its loop writes; other threads read figures that
 * may be a moment old, and never half written ones.
 */
final class RouteCounts {
    private static final String[] METHODS = {
        "GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "other"
    };
    private static final int OTHER = METHODS.length - 1;

    private final long[] bounds = new long[Latencies.BOUNDS.length + 1];
    private final long[] fine = new long[Latencies.FINE];
    private long nanos;
    private long bytesIn;
    private long bytesOut;
    private volatile Cell cells; // few: a route mostly answers one method with one status

    private static final class Cell {
        final int method;
        final int status;
        final Cell next;
        long count;

        Cell(int method, int status, Cell next) {
            this.method = method;
            this.status = status;
            this.next = next;
        }
    }

    void add(CompletedRequest answered) {
        long took = answered.nanos();
        bounds[Latencies.bound(took)]++;
        fine[Latencies.fine(took)]++;
        nanos += took;
        bytesIn += answered.bytesIn();
        bytesOut += answered.bytesOut();
        cell(method(answered.method()), answered.status()).count++;
    }

    /** Counts a request of which no more is known. */
    void refused(String method, int status) {
        cell(method(method), status).count++;
    }

    private static int method(String name) {
        for (int i = 0; i < OTHER; i++) {
            if (METHODS[i].equals(name)) {
                return i;
            }
        }
        return OTHER;
    }

    private Cell cell(int method, int status) {
        for (Cell cell = cells; cell != null; cell = cell.next) {
            if (cell.status == status && cell.method == method) {
                return cell;
            }
        }
        return cells = new Cell(method, status, cells);
    }

    RouteTotals totals() {
        Map<Outcome, Long> requests = new HashMap<>();
        for (Cell cell = cells; cell != null; cell = cell.next) {
            requests.put(new Outcome(METHODS[cell.method], cell.status), cell.count);
        }
        return new RouteTotals(
                Map.copyOf(requests),
                new Latency(bounds.clone(), fine.clone(), nanos),
                bytesIn,
                bytesOut);
    }
}
