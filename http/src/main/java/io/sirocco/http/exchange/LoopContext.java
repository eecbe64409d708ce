// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.Monitor;
import io.sirocco.http.RequestError;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.http.Status;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.websocket.Role;
import io.sirocco.http.websocket.WebSocketContext;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.TaskKind;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The context that all connections of one loop share: routes, the head that requests are parsed
 * into, date, counters. Loop-confined.
 */
public final class LoopContext extends WebSocketContext {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final LazyLogger LOG = LazyLogger.of(Server.class);

    private static final Headers RETRY_AFTER = Headers.of("Retry-After", "1");
    private static final int MEMORY_REPORTS_PER_TURN = 16;
    private static final int LONGEST_PATH = 200; // in the log

    private final RepeatedFailures failures;
    ServerContext serverContext;
    public Limits limits;

    private static final int SPARE_HEADS = 64;
    private static final int LARGEST_SPARE = 4 << 10;

    /** Copies of heads for reports, reused. */
    private final ArrayDeque<RequestHead> spareHeads = new ArrayDeque<>();

    public final Dispatcher dispatcher = new Dispatcher(this);
    final Responder responder = new Responder(this);
    private final Notifications reports = Notifications.reports(this, this::completeDrain);
    private final Notifications actions = Notifications.actions(this, this::completeDrain);

    private byte[] dateAndServer;
    private long dateExpires = Long.MIN_VALUE;
    private final AtomicLong ids = new AtomicLong();
    private long memoryReportsAt;
    private int memoryReports;

    // Counts; read by other threads, which may see them a little late.
    public long requests;
    int inProgress;
    public long rejected;
    public int connections;
    int webSockets;
    public boolean draining;
    private boolean leaving; // a stop is announced
    private boolean shakingHands = true; // a client may, as far as the drain knows
    private CompletableFuture<Void> drained = new CompletableFuture<>();

    /** Logs failures to {@code failures}, which all loops of a server share. */
    public LoopContext(Loop loop, ServerContext serverContext, RepeatedFailures failures) {
        super(loop, Role.SERVER);
        this.failures = failures;
        adopt(serverContext);
    }

    /** Returns a log of failures for the loops of one server. */
    public static RepeatedFailures failureLog() {
        return new RepeatedFailures(LOG, Level.ERROR);
    }

    /** Applies another configuration to requests that begin from now on. */
    public void adopt(ServerContext next) {
        serverContext = next;
        limits = next.limits();
        dispatcher.forget();
        dateExpires = Long.MIN_VALUE;
    }

    public void opened(Connection connection) {
        connections++;
        if (monitored()) {
            var opened =
                    new Monitor.OpenedConnection(
                            loop.index(),
                            loop.clock().wallMillis(),
                            connection.remote(), // when it is gone it is too late to ask
                            connection.local(),
                            connection.secure());
            reportLater(() -> serverContext.monitor().opened(opened));
        }
    }

    public void closed(Connection connection, CloseCause cause) {
        connections--;
        if (monitored()) {
            var closed =
                    new Monitor.ClosedConnection(
                            loop.index(),
                            loop.clock().wallMillis(),
                            connection.remote(),
                            connection.local(),
                            connection.secure(),
                            cause);
            reportLater(() -> serverContext.monitor().closed(closed));
        }
        completeDrain();
    }

    @Override
    public void socketOpened() {
        webSockets++;
    }

    @Override
    public void socketClosed(Connection connection, CloseCause cause) {
        webSockets--;
        closed(connection, cause);
        deliverNotifications();
    }

    /** Returns a copy of a head for a later report. No other reference to it may remain. */
    RequestHead keep(RequestHead head) {
        RequestHead spare = spareHeads.poll();
        return head.detach(spare == null ? RequestHead.spare() : spare, LARGEST_SPARE);
    }

    /** Accepts a copy made by {@link #keep} for reuse. */
    void giveBack(RequestHead kept) {
        if (kept.bytes().length <= LARGEST_SPARE && spareHeads.size() < SPARE_HEADS) {
            spareHeads.push(kept);
        }
    }

    @Override
    public long writeMillis() {
        return limits.writeMillis();
    }

    @Override
    public int nextKey() {
        throw new AssertionError("a server masks nothing (RFC 6455 5.1)");
    }

    /** Ends each connection with its next response from now on; others are still accepted. */
    public void leave() {
        leaving = true;
    }

    /** Returns whether a response is to be the last one of its connection. */
    public boolean endsConnections() {
        return draining || leaving;
    }

    /**
     * Closes connections from now on as they become idle. Completes {@code end} when none is left.
     */
    public void drain(CompletableFuture<Void> end) {
        draining = true;
        drained = end;
        loop.drainHandshakes(
                () -> {
                    shakingHands = false;
                    completeDrain();
                });
    }

    private void completeDrain() {
        boolean idle = connections == 0 && !shakingHands;
        if (draining && idle && actions.isIdle() && reports.isIdle()) {
            drained.complete(null);
        }
    }

    /** Any thread. */
    public ServerStats stats() {
        return new ServerStats(loop.stats(), requests, inProgress, rejected, webSockets);
    }

    /** Returns the headers {@code Date} and {@code Server}, the same array within one second. */
    public byte[] dateAndServer() {
        if (loop.nanos() >= dateExpires) {
            long now = loop.clock().wallMillis();
            dateAndServer = serverContext.dateAndServer().at(now / 1000);
            dateExpires = loop.nanos() + (1000 - now % 1000) * 1_000_000;
        }
        return dateAndServer;
    }

    /** Returns those of these headers that are not in {@code headers}. */
    public byte[] dateAndServerBeside(Headers headers) {
        String both = new String(dateAndServer(), ISO_8859_1);
        int end = both.indexOf('\n') + 1;
        String date = headers.has("Date") ? "" : both.substring(0, end);
        String server = headers.has("Server") ? "" : both.substring(end);
        return (date + server).getBytes(ISO_8859_1);
    }

    /**
     * Calls the handler on a virtual thread. If the loop carries it, it has run until it first
     * blocks when this method returns.
     */
    void virtual(Exchange exchange) {
        start(exchange, exchange);
    }

    /** Runs another task of the exchange, which may block, on a virtual thread. */
    void virtual(Exchange exchange, Runnable task) {
        start(
                exchange,
                () -> {
                    exchange.threadBegins();
                    try {
                        task.run();
                    } finally {
                        exchange.threadEnds();
                    }
                });
    }

    private void start(Exchange exchange, Runnable task) {
        TaskKind kind = exchange.routeTarget.kind();
        if (loop.carries(kind)) {
            loop.startMovable(kind, task);
            return;
        }
        exchange.request.detach(); // its thread runs beside us
        if (kind == null) {
            Loop.startElsewhere(task);
        } else {
            kind.startElsewhere(task);
        }
    }

    /** Calls the handler on a thread of the pool. */
    void pool(Exchange exchange) {
        serverContext
                .pool()
                .execute(
                        () -> {
                            try {
                                exchange.run();
                            } finally {
                                restoreClassLoader();
                            }
                        });
    }

    /** Any thread. */
    public ResponseMessage page(RequestError rule) {
        ResponseMessage page = page(rule.status(), Status.reason(rule.status()));
        return rule.isTemporary() ? page.with(RETRY_AFTER) : page;
    }

    /**
     * Returns whether one more client may be refused with a response because memory is short. A
     * response takes memory itself, so each turn has {@link #MEMORY_REPORTS_PER_TURN} of them;
     * other connections are closed.
     */
    public boolean mayReportMemoryShort() {
        if (memoryReportsAt != loop.nanos()) {
            memoryReportsAt = loop.nanos();
            memoryReports = 0;
        }
        return ++memoryReports <= MEMORY_REPORTS_PER_TURN;
    }

    /** Any thread. */
    public ResponseMessage page(int status, String message) {
        return serverContext.page(status, message);
    }

    /** Called when code that serves a connection throws. Any thread. */
    @Override
    public void failed(String requestId, Throwable thrown) {
        failed("", "request " + requestId + " failed", requestId, thrown);
    }

    /** Called when a handler throws; {@code why} is appended to the line in the log. Any thread. */
    void failed(Exchange exchange, String why, Throwable thrown) {
        String name = name(exchange);
        String line = name + " failed (request " + exchange.id() + ")" + why;
        failed(name, line, exchange.id(), thrown);
    }

    /**
     * Returns what the log calls a request: its route if that has parameters, whose values may be
     * secrets and are many; otherwise its method and path. Never its query.
     */
    private static String name(Exchange exchange) {
        TaskKind kind = exchange.routeTarget.kind();
        String route = kind == null ? exchange.routeTarget.path() : kind.name();
        RequestHead head = exchange.request.peek();
        if (head == null || route.contains("{")) {
            return route;
        }
        String path = head.path();
        boolean fits = path.length() <= LONGEST_PATH;
        return head.method() + " " + (fits ? path : path.substring(0, LONGEST_PATH) + "...");
    }

    private void failed(String name, String line, String requestId, Throwable thrown) {
        failures.log("request", line, thrown);
        if (monitored()) {
            Runnable report = () -> serverContext.monitor().handlerFailed(requestId, name, thrown);
            if (!loop.runInLoop(() -> reportLater(report))) {
                execute(() -> reportLater(report));
            }
        }
    }

    /** Called when a route has blocked the loop and was moved. Any thread. */
    public void moved(TaskKind kind, long millis, StackTraceElement[] stack) {
        if (monitored()) {
            Runnable report = () -> serverContext.monitor().routeMoved(kind.name(), millis, stack);
            execute(() -> reportLater(report));
        }
    }

    /** Reports a refused request to the monitor. */
    public void reportRejected(
            RequestError rule,
            String id,
            SocketAddress remote,
            boolean secure,
            String method,
            String target,
            boolean alone,
            long bytesOut) {
        if (!monitored()) {
            return;
        }
        var refusal =
                new Monitor.RejectedRequest(
                        loop.index(),
                        id,
                        loop.clock().wallMillis(),
                        remote,
                        secure,
                        rule,
                        method,
                        target,
                        alone,
                        bytesOut);
        reportLater(() -> serverContext.monitor().rejected(refusal));
    }

    /**
     * Reports to the monitor soon, when no exchange is between two states, behind what was reported
     * before.
     */
    void reportLater(Runnable report) {
        reports.add(report);
    }

    /**
     * Runs an action for the end of an exchange soon, when no exchange is between two states. It
     * does not wait for another action, or for the monitor.
     */
    void runLater(Runnable action) {
        actions.add(action);
    }

    /** Returns whether {@code thread} runs an action, or reports to the monitor, now. */
    public boolean isNotifiedBy(Thread thread) {
        return actions.areMadeBy(thread) || reports.areMadeBy(thread);
    }

    /**
     * Has the calls made that are due. On the loop's own thread, which reads again behind it what
     * it knows of a connection.
     */
    public void deliverNotifications() {
        actions.deliverNow();
        reports.deliverNow();
    }

    public boolean monitored() {
        return serverContext.monitor() != Monitor.NONE;
    }

    /** Returns an id that is unique in this process. Any thread. */
    public String nextId() {
        return serverContext.id()
                + "-"
                + loop.index()
                + "-"
                + Long.toString(ids.incrementAndGet(), 36);
    }
}
