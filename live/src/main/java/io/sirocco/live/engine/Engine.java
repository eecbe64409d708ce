// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import static io.sirocco.http.ExecutionMode.INLINE;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.WebSockets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Engine.IO 4 at a path: opens sessions, and finds the one that a request is for. Any thread.
 *
 * <pre>
 *   GET  ?EIO=4&amp;transport=polling          opens a session
 *   GET  ?EIO=4&amp;transport=polling&amp;sid=S    waits for packets
 *   POST ?EIO=4&amp;transport=polling&amp;sid=S    brings packets
 *   GET  ?EIO=4&amp;transport=websocket        opens a session over a WebSocket
 *   GET  ?EIO=4&amp;transport=websocket&amp;sid=S  changes to a WebSocket
 * </pre>
 */
public final class Engine {
    private static final Ids IDS = new Ids();
    private static final int WINDOW = 64 << 10;
    private static final int SHARED_PEERS = 1 << 10;

    /** Nanoseconds between two looks at who is the slowest. */
    private static final long SLOWEST_PAUSE = 50_000_000;

    /** Bytes of headers of all sessions whose clients have not been admitted. */
    private static final long MAX_HEADS = Runtime.getRuntime().maxMemory() / 16;

    final EngineSettings settings;
    final Upper upper;
    final String opening;
    final int window;
    final OutputBudget output;
    private final WebSockets sockets;
    private final ConcurrentHashMap<Object, Session> sessions = new ConcurrentHashMap<>();
    private final AtomicLong heads = new AtomicLong();
    private final AtomicLong lookedForSlowest = new AtomicLong(System.nanoTime());
    private final Peer[] peers = new Peer[SHARED_PEERS]; // some that there are, by their hashes
    private volatile boolean closing;

    /** Makes one; {@link #addTo} has it answer. */
    public Engine(EngineSettings settings, Upper upper) {
        this.settings = settings;
        this.upper = upper;
        this.window = Math.min(WINDOW, settings.budget());
        this.output = new OutputBudget(settings.allWaiting());
        this.sockets =
                WebSockets.of(
                        s ->
                                s.anyOrigin() // we have looked at it
                                        .maxMessageBytes(settings.maxPayload())
                                        .maxPendingBytes(window)
                                        .ping(Duration.ZERO, Duration.ZERO));
        boolean upgrades = settings.transports().contains("websocket");
        this.opening =
                "\",\"upgrades\":["
                        + (upgrades ? "\"websocket\"" : "")
                        + "],\"pingInterval\":"
                        + settings.pingMillis()
                        + ",\"pingTimeout\":"
                        + settings.pongMillis()
                        + ",\"maxPayload\":"
                        + settings.maxPayload()
                        + "}";
    }

    /** An id that nobody guesses: 120 bits. */
    public static String newId() {
        return IDS.next();
    }

    /** Answers at the path of {@code routes}, with or without a slash. */
    public void addTo(Routes routes) {
        for (String path : new String[] {"", "/"}) {
            for (String method : new String[] {"GET", "POST", "OPTIONS"}) {
                routes.route(method, path, this::handle)
                        .executionMode(INLINE)
                        .startBeforeBody()
                        .maxBodyBytes(settings.maxPayload())
                        .handlerTimeout(Duration.ZERO);
            }
        }
    }

    /** How many sessions there are. */
    public int size() {
        return sessions.size();
    }

    /** Bytes that wait to be sent, of all sessions together; what waits for many counts once. */
    public long bytesWaiting() {
        return output.bytes();
    }

    /** Those that there are. */
    public Collection<Session> sessions() {
        return sessions.values();
    }

    /** From now on none is opened. */
    public void refuseMore() {
        closing = true;
    }

    /** What may wait for one peer beside what its WebSocket holds. */
    int outboxBudget() {
        return settings.budget() - window;
    }

    /** The same now: less when much waits for all peers. */
    long outboxAllowed() {
        return output.allowed(outboxBudget());
    }

    /** What is put there for a poll by those who can wait. */
    long roomForPolls() {
        return Math.min(window, outboxAllowed());
    }

    /** From here on its headers count, until it forgets them: not before, or without an upgrade. */
    void add(Session session, int headers) {
        heads.addAndGet(headers);
        sessions.put(session.key(), session);
    }

    /**
     * Returns a peer that is equal: clients behind one address have one in common, where they also
     * send the same headers. Any thread; one that others do not see yet is only not shared.
     */
    Peer shared(Peer peer) {
        int place = peer.hashCode() * 0x9E3779B9 >>> 22;
        Peer known = peers[place];
        if (peer.equals(known)) {
            return known;
        }
        peers[place] = peer;
        return peer;
    }

    void remove(Session session) {
        sessions.remove(session.key());
    }

    /**
     * When too much waits for all peers together, those for which most does are closed: as many as
     * it takes until there is room again. Any thread.
     */
    void endSlowest() {
        if (!output.isFull()) {
            return;
        }
        long before = lookedForSlowest.get();
        long now = System.nanoTime();
        if (now - before < SLOWEST_PAUSE || !lookedForSlowest.compareAndSet(before, now)) {
            return;
        }
        long little = output.isExhausted() ? 0 : OutputBudget.LITTLE;
        var slow = new ArrayList<Slow>();
        for (Session session : sessions.values()) {
            long bytes = session.holds();
            if (bytes > little) {
                slow.add(new Slow(session, bytes));
            }
        }
        slow.sort(Comparator.comparingLong(Slow::bytes).reversed());
        long excess = output.excess();
        for (Slow each : slow) {
            if (excess <= 0) {
                return;
            }
            excess -= each.bytes;
            each.session.giveUp();
        }
    }

    private record Slow(Session session, long bytes) {}

    /** A session has forgotten so many bytes of the head that it began with. Any thread. */
    void forgotten(int bytes) {
        heads.addAndGet(-bytes);
    }

    private Response handle(Request request) {
        if (settings.origins().isPresent() && !settings.origins().get().admits(request)) {
            upper.refused("origin");
            return refuse(403, 4, "Forbidden");
        }
        Optional<String> origin = request.header("Origin");
        if (request.method().equals("OPTIONS")) {
            return CrossOrigin.allow(CrossOrigin.preflight(request), origin);
        }
        return answer(request).map(response -> CrossOrigin.allow(response, origin));
    }

    private Response answer(Request request) {
        String transport = request.query("transport").orElse("");
        if (!settings.transports().contains(transport)) {
            return Refusal.TRANSPORT.response();
        }
        Optional<String> sid = request.query("sid");
        if (sid.isEmpty()) {
            return admit(request, transport);
        }
        Session session = sessions.get(sid.get());
        if (session == null) {
            return Refusal.SESSION.response();
        }
        if (transport.equals("websocket")) {
            return session.polls()
                    ? Response.webSocket(sockets, Line.later(session, upper.home(request.loop())))
                    : Refusal.REQUEST.response();
        }
        return switch (request.method()) {
            case "GET" -> session.poll(request);
            case "POST" -> session.data(request);
            default -> Refusal.REQUEST.response();
        };
    }

    private Response admit(Request request, String transport) {
        if (!request.method().equals("GET")) {
            return Refusal.METHOD.response();
        }
        if (!request.query("EIO").orElse("").equals("4")) {
            return Refusal.VERSION.response();
        }
        if (closing || sessions.size() >= settings.clients()) {
            upper.refused("clients");
            return refuse(503, 3, "Too many clients").header("Retry-After", "1");
        }
        CompletableFuture<Boolean> admitted = upper.admits(request).toCompletableFuture();
        if (admitted.isDone() && !admitted.isCompletedExceptionally()) {
            return open(request, transport, admitted.join());
        }
        Handler yes = later -> open(later, transport, true);
        Handler no = later -> open(later, transport, false);
        return Response.asyncHandler(admitted.thenApply(is -> is ? yes : no));
    }

    private Response open(Request request, String transport, boolean admitted) {
        if (!admitted) {
            upper.refused("connects");
            return refuse(429, 3, "Too many connects").header("Retry-After", "1");
        }
        if (closing || sessions.size() >= settings.clients()) { // others came in the meantime
            upper.refused("clients");
            return refuse(503, 3, "Too many clients").header("Retry-After", "1");
        }
        Peer peer = Peer.of(request, upper.address(request));
        if (heads.get() + peer.size() > MAX_HEADS) {
            upper.refused("memory");
            return refuse(503, 3, "Too many clients").header("Retry-After", "1");
        }
        var session = new Session(this, upper.home(request.loop()), peer);
        return transport.equals("websocket")
                ? Response.webSocket(sockets, Line.first(session))
                : text(session.openPolling(mark(request)));
    }

    /** What clients add to a request over long polling so that no cache answers it. */
    static String mark(Request request) {
        return request.query("t").orElse("");
    }

    static Response text(String body) {
        return Response.text(body).header("Cache-Control", "no-store");
    }

    /** The same, encoded. */
    static Response text(byte[] body) {
        return Response.bytes(body)
                .setHeader("Content-Type", "text/plain; charset=utf-8")
                .header("Cache-Control", "no-store");
    }

    static Response refuse(int status, int code, String message) {
        return Response.json("{\"code\":" + code + ",\"message\":\"" + message + "\"}")
                .status(status);
    }
}
