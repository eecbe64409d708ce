// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.app.admin.Overview.RefusalRow;
import io.sirocco.app.admin.Overview.RouteRow;
import io.sirocco.http.ServerStats;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.web.metrics.Latency;
import io.sirocco.web.metrics.Metrics;
import io.sirocco.web.metrics.RouteTotals;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Samples the metrics of a server once a second and keeps them for five minutes, so that the
 * dashboard shows a history at once. It samples on its own thread; any thread can read.
 */
final class MetricsSampler implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(MetricsSampler.class);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    static final int KEPT = 300;
    private static final int RECENT = 10; // seconds that the tables cover
    private static final int MAX_ROWS = 20;

    private final Subject subject;
    private final Metrics metrics;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final ArrayDeque<Sample> samples = new ArrayDeque<>(); // with the lock held
    private Overview overview; // with the lock held
    private final ArrayDeque<Snapshot> snapshots = new ArrayDeque<>(); // its thread only
    private long number; // its thread only
    private boolean missing; // its thread only
    private volatile boolean closed;

    /** The samples since the previous ones, and the current values. */
    record News(List<Sample> samples, Overview now) {}

    MetricsSampler(Subject subject, Metrics metrics) {
        this.subject = subject;
        this.metrics = metrics;
        look();
        Thread.ofPlatform().daemon().name("sirocco-sampler").start(this::watch);
    }

    private void watch() {
        long next = System.nanoTime() + SECOND;
        while (!closed) {
            long wait = next - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
                continue;
            }
            // Skip missed seconds: the rate of a few milliseconds would be that of a burst.
            long late = System.nanoTime() - next;
            next += late < SECOND / 2 ? SECOND : late + SECOND;
            try {
                look();
                missing = false;
            } catch (Throwable e) { // even out of memory, this thread must not end
                missed(e);
            }
        }
    }

    /** Logs the first of several failures in a row. */
    private void missed(Throwable thrown) {
        if (!missing) {
            missing = true;
            try {
                LOG.get().log(Level.WARNING, "cannot sample metrics for the dashboard", thrown);
            } catch (Throwable e) {
                // out of memory here, too
            }
        }
    }

    private void look() {
        Snapshot now = Snapshot.of(subject, metrics);
        if (!snapshots.isEmpty() && !now.continues(snapshots.getLast())) {
            snapshots.clear();
        }
        Snapshot before = snapshots.isEmpty() ? null : snapshots.getLast();
        snapshots.addLast(now);
        if (snapshots.size() > RECENT + 1) {
            snapshots.removeFirst();
        }
        Overview shown = overview(now, snapshots.getFirst());
        lock.lock();
        try {
            overview = shown;
            if (before != null) {
                samples.addLast(sample(now, before));
                if (samples.size() > KEPT) {
                    samples.removeFirst();
                }
                news.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private Sample sample(Snapshot now, Snapshot before) {
        double seconds = (now.nanos() - before.nanos()) / 1e9;
        RouteTotals all = now.totals().all().since(before.totals().all());
        return new Sample(
                ++number,
                System.currentTimeMillis(),
                rate(all.requests(0, 600), seconds),
                percentile(all.latency(), 0.5),
                percentile(all.latency(), 0.9),
                percentile(all.latency(), 0.99),
                List.of(
                        rate(all.requests(200, 300), seconds),
                        rate(all.requests(300, 400), seconds),
                        rate(all.requests(400, 500), seconds),
                        rate(all.requests(500, 600), seconds),
                        rate(all.requests(0, 1), seconds)),
                (int) now.sum(loop -> loop.net().connections()),
                (int) now.sum(ServerStats::inProgress),
                busy(now, before, seconds),
                rate(bytesIn(now) - bytesIn(before), seconds),
                rate(bytesOut(now) - bytesOut(before), seconds),
                ProcessFacts.heap(),
                ProcessFacts.resident().orElse(-1),
                now.channels()
                        .map(
                                live ->
                                        ChannelSample.of(
                                                live, before.channels().orElse(live), seconds)));
    }

    private static long bytesIn(Snapshot snapshot) {
        return snapshot.sum(loop -> loop.net().bytesIn());
    }

    private static long bytesOut(Snapshot snapshot) {
        return snapshot.sum(loop -> loop.net().bytesOut());
    }

    private static List<Double> busy(Snapshot now, Snapshot before, double seconds) {
        var shares = new ArrayList<Double>();
        for (int i = 0; i < now.loops().size(); i++) {
            long held =
                    now.loops().get(i).net().busyNanos() - before.loops().get(i).net().busyNanos();
            shares.add(rounded(Math.clamp(held / 1e9 / seconds, 0, 1), 1000));
        }
        return shares;
    }

    private Overview overview(Snapshot now, Snapshot before) {
        double seconds = Math.max(1e-3, (now.nanos() - before.nanos()) / 1e9);
        return new Overview(
                subject.state().label(),
                subject.description(),
                ProcessFacts.version(),
                Runtime.version().toString(),
                ProcessFacts.up().toSeconds(),
                now.totals().all().requests(0, 600),
                now.totals().failed(),
                now.sum(loop -> loop.net().acceptFailures()),
                now.sum(loop -> loop.net().memoryRefused()),
                subject.droppedLogLines(),
                now.loops().stream()
                        .mapToLong(loop -> loop.net().longestTurnNanos() / 1000)
                        .max()
                        .orElse(0),
                Runtime.getRuntime().maxMemory(),
                routes(now, before, seconds),
                refusals(now, before, seconds),
                UpstreamRow.of(now, before, seconds),
                CacheRow.of(now, before, seconds),
                now.channels());
    }

    private static List<RouteRow> routes(Snapshot now, Snapshot before, double seconds) {
        var rows = new ArrayList<RouteRow>();
        now.totals()
                .routes()
                .forEach(
                        (route, totals) -> {
                            RouteTotals earlier = before.totals().routes().get(route);
                            RouteTotals recent = earlier == null ? totals : totals.since(earlier);
                            rows.add(
                                    new RouteRow(
                                            route,
                                            rate(recent.requests(0, 600), seconds),
                                            percentile(recent.latency(), 0.5),
                                            percentile(recent.latency(), 0.99),
                                            rate(recent.requests(400, 500), seconds),
                                            rate(recent.requests(500, 600), seconds),
                                            rate(recent.bytesOut(), seconds),
                                            totals.requests(0, 600)));
                        });
        rows.sort(
                (a, b) -> {
                    int order = Double.compare(b.requests(), a.requests());
                    return order != 0 ? order : Long.compare(b.total(), a.total());
                });
        return rows.size() > MAX_ROWS ? List.copyOf(rows.subList(0, MAX_ROWS)) : rows;
    }

    private static int compareFrequentFirst(RefusalRow a, RefusalRow b) {
        int recent = Double.compare(b.recent(), a.recent());
        return recent != 0 ? recent : Long.compare(b.total(), a.total());
    }

    private static List<RefusalRow> refusals(Snapshot now, Snapshot before, double seconds) {
        var rows = new ArrayList<RefusalRow>();
        now.totals()
                .refused()
                .forEach(
                        (rule, total) -> {
                            long earlier = before.totals().refused().getOrDefault(rule, 0L);
                            double recent = rate(total - earlier, seconds);
                            rows.add(new RefusalRow(rule.name(), rule.source(), recent, total));
                        });
        now.refusals()
                .forEach(
                        (rule, total) -> {
                            long earlier = before.refusals().getOrDefault(rule, 0L);
                            double recent = rate(total - earlier, seconds);
                            if (total > 0) { // others have not refused anything
                                rows.add(new RefusalRow(rule, "access", recent, total));
                            }
                        });
        rows.sort(MetricsSampler::compareFrequentFirst);
        return rows.size() > MAX_ROWS ? List.copyOf(rows.subList(0, MAX_ROWS)) : rows;
    }

    static long percentile(Latency latency, double share) {
        var nanos = latency.percentile(share);
        return nanos.isPresent() ? Math.max(1, nanos.getAsLong() / 1000) : -1;
    }

    static double rate(long count, double seconds) {
        return rounded(count / seconds, 100);
    }

    private static double rounded(double value, double steps) {
        return Math.round(value * steps) / steps;
    }

    /** Returns the whole history. */
    News all() {
        lock.lock();
        try {
            return new News(List.copyOf(samples), overview);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for samples after number {@code seen}, and returns them. */
    News since(long seen) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (samples.isEmpty() || samples.getLast().number() <= seen) {
                news.await();
            }
            return new News(
                    samples.stream().filter(sample -> sample.number() > seen).toList(), overview);
        } finally {
            lock.unlock();
        }
    }

    /** Stops sampling. */
    @Override
    public void close() {
        closed = true;
    }
}
