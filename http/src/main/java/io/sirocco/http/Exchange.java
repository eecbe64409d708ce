// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.Head;
import io.sirocco.net.Loop;
import io.sirocco.net.OpenFile;
import io.sirocco.net.TaskKind;
import io.sirocco.net.TlsSession;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;

/**
 * One request and its response: between the connection, which lives on its loop, and the handler,
 * which runs wherever its route says.
 *
 * <pre>
 *   handler's thread                               loop
 *   run ── handle ── answer ──────────────────────▶ respond ─▶ wire.send          known bytes
 *                       ├── stream ── write ───────▶ wire.begin, data ..., end    written while sent
 *                       └── later ──┐
 *           whoever completes it ───┴──────────────▶ answer, again; or handle, again
 * </pre>
 *
 * <p>A virtual thread that the loop carries is on the loop while it runs, so for it an arrow is a
 * plain call. Methods say where they run; fields are loop-confined unless they say otherwise.
 */
final class Exchange implements Runnable, Monitor.Answered {
    /** Milliseconds for which the head of a stream of events waits for the first of them. */
    private static final long FIRST_EVENT = 100;

    /**
     * A response of pieces up to this many bytes ends when it is written; of a longer one, when
     * most of it has left. The kernel mostly takes so much of a file at once.
     */
    private static final long ENDED_WHEN_WRITTEN = 512 << 10;

    private static final VarHandle THREAD = threadField();

    /** Stands in the place of a handler's thread while that is being interrupted. */
    private static final Thread INTERRUPTING = Thread.ofVirtual().unstarted(() -> {});

    final Request request;
    final Endpoint endpoint;
    final Incoming incoming;
    Forwarded forwarded; // null when no trusted proxy says for whom it asks; set once
    final long began;

    /** Null unless a recording wants it: even the class is left alone until there may be one. */
    final RequestEvent event = FlightRecorder.isInitialized() ? RequestEvent.start() : null;

    private final Wire wire;
    private final Worker worker;
    private final long bodyLength;
    private final boolean headOnly;

    private volatile Thread thread; // that runs the handler, while it does
    boolean responded; // the response has begun; a later one is dropped
    private boolean early; // before its writer has written anything
    boolean ended; // and it is complete
    boolean waitsForLater;
    CompletableFuture<Void> writable; // somebody waits for the client to take more
    boolean brokenOff; // in the middle of its response
    long end; // where its response ends in what was written to the connection
    Head kept; // once the request is over, for what is still to be told
    boolean keptCopy; // which nobody else refers to
    boolean untold;
    Exchange nextUntold;
    Exchange lastUntold; // of the first only
    private boolean gone; // the client is, before the response was complete
    private List<Runnable> whenGone; // null while nobody wants to know
    volatile boolean endless; // a server that stops does not wait for it
    int status;
    long bytesOut;
    Rule rule; // that the request was refused by; null when it was not
    private long nanos; // it took; set with its end
    private boolean complete;
    long waited; // by the handler for a body that is complete now, in milliseconds
    private String id; // of the handler's thread; of the loop's, when it is over
    private Handler handler; // to be called next; handed on with the exchange

    Exchange(
            Wire wire,
            Worker worker,
            Head head,
            PathParams params,
            Endpoint endpoint,
            boolean headOnly) {
        this.wire = wire;
        this.worker = worker;
        this.endpoint = endpoint;
        this.handler = endpoint.handler();
        this.request = new Request(this, head, params);
        this.incoming = head.hasBody() ? new Incoming() : null;
        this.bodyLength = head.chunked() ? -1 : Math.max(0, head.contentLength());
        this.headOnly = headOnly;
        this.began = worker.loop.nanos();
    }

    // ---- on the handler's thread

    /** Calls the handler and has its response sent. */
    @Override
    public void run() {
        Response response;
        try {
            response = handler.handle(request);
            if (response == null) {
                throw new NullPointerException(
                        "the handler of " + endpoint.path() + " answered null");
            }
        } catch (Throwable e) {
            response = failed(e);
        }
        answer(response);
    }

    /** What is answered for something that was thrown: by whom it was caused decides. */
    private Response failed(Throwable thrown) {
        boolean cancelled = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            cancelled |= cause instanceof CancellationException; // by onGone, for one
            if (cause instanceof BadRequest e) {
                return worker.page(e.status(), e.getMessage());
            }
            if (cause instanceof BodyRefused e) {
                return worker.page(e.rule()).close();
            }
        }
        if (cancelled && gone || thrown instanceof IOException && !connected()) {
            return worker.page(
                    500, Status.reason(500)); // nobody will read it, and nobody is to blame
        }
        worker.failed(id(), interruption(thrown), thrown);
        return worker.page(500, Status.reason(500));
    }

    /** Returns why we have interrupted the handler, for the log; empty unless that made it fail. */
    private String interruption(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException
                    || cause instanceof ClosedByInterruptException
                    || cause.getClass() == InterruptedIOException.class) {
                return switch (rule) { // set before the interrupt
                    case null -> "";
                    case HANDLER_DEADLINE, LATER_DEADLINE ->
                            ": interrupted at its handler deadline of "
                                    + endpoint.deadlineMillis()
                                    + " ms";
                    default -> ": interrupted, since it was refused by " + rule;
                };
            }
        }
        return "";
    }

    private void answer(Response response) {
        switch (response.content()) {
            case Content.Bytes(byte[] bytes) -> onLoop(() -> respond(response, bytes));
            case Content.Later(CompletionStage<Response> later) ->
                    onLoop(() -> await(later, this::answerLate));
            case Content.After(CompletionStage<? extends Handler> next) ->
                    onLoop(() -> await(next, this::goOn));
            case Content.Stream(BodyWriter writer, long length) -> stream(response, writer, length);
            case Content.Endless(BodyWriter writer) -> {
                endless = true;
                onLoop(() -> worker.loop.after(FIRST_EVENT, () -> beginEarly(response)));
                stream(response, writer, -1);
            }
            case Content.Pieces pieces -> onLoop(() -> respond(response, pieces));
            case Content.Upgrade upgrade -> onLoop(() -> upgrade(response, upgrade));
            case Content.File file -> {
                try {
                    var pieces = new Content.Pieces(List.of(opened(file)));
                    onLoop(() -> respond(response, pieces));
                } catch (IOException e) {
                    answer(failed(e));
                }
            }
        }
    }

    /** Sends the header before there is a body, so that the client knows that it is connected. */
    private void beginEarly(Response response) {
        if (!responded && !ended && wire.connected() && !headOnly) {
            early = begin(response, -1);
        }
    }

    private static Piece opened(Content.File file) throws IOException {
        return new Piece.Region(OpenFile.open(file.path()), 0, file.length());
    }

    private void onLoop(Runnable task) {
        if (worker.loop.enter()) {
            try {
                guarded(task);
            } finally {
                worker.loop.exit();
            }
        } else {
            worker.execute(() -> guarded(task));
        }
    }

    /** What throws here, on the loop, must leave no client waiting until its deadline. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Response page = failed(e);
            if (responded) {
                breakOff();
            } else {
                respond(page, ((Content.Bytes) page.content()).bytes());
            }
        }
    }

    private void stream(Response response, BodyWriter writer, long length) {
        if (headOnly || response.bodiless()) {
            onLoop(
                    () -> {
                        if (begin(response, length)) {
                            wire.end();
                        }
                    });
        } else if (worker
                .isLoopThread()) { // an inline handler: what it writes may block, so not here
            worker.virtual(this, () -> write(response, writer, length));
        } else {
            write(response, writer, length);
        }
    }

    private void write(Response response, BodyWriter writer, long length) {
        var out = new BodyStream(this, response, length);
        try {
            writer.write(out);
            out.close();
        } catch (Throwable e) {
            broken(out, e);
        }
    }

    /**
     * A client that went away is no failure of ours; all else is, and shows as a broken connection
     * at the latest.
     */
    private void broken(BodyStream out, Throwable thrown) {
        Response page = failed(thrown);
        boolean begun = out.begun();
        onLoop(
                () -> {
                    if (begun || early) {
                        breakOff();
                    } else {
                        respond(page, ((Content.Bytes) page.content()).bytes());
                    }
                });
    }

    /** The next bytes of the body; none at its end. Blocks. */
    byte[] nextOfBody(boolean keeps) throws IOException {
        if (incoming == null) {
            return new byte[0];
        }
        CompletableFuture<byte[]> next;
        if (worker.loop.enter()) {
            try {
                next = takeOfBody(keeps);
            } finally {
                worker.loop.exit();
            }
        } else {
            next = ask(() -> takeOfBody(keeps));
        }
        return join(next);
    }

    /** The same, later. Any thread. */
    CompletableFuture<byte[]> nextOfBodyLater() {
        if (incoming == null) {
            return CompletableFuture.completedFuture(new byte[0]);
        }
        if (worker.loop.enter()) {
            try {
                return takeOfBody(false);
            } finally {
                worker.loop.exit();
            }
        }
        return ask(() -> takeOfBody(false));
    }

    /** Has the loop start something; what this answers is completed with it. Any thread. */
    private <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> start) {
        var crossing = new CompletableFuture<T>();
        boolean runs =
                worker.execute(
                        () -> {
                            try {
                                start.get()
                                        .whenComplete(
                                                (value, thrown) -> {
                                                    if (thrown == null) {
                                                        crossing.complete(value);
                                                    } else {
                                                        crossing.completeExceptionally(thrown);
                                                    }
                                                });
                            } catch (Throwable e) { // else its thread would wait for ever
                                crossing.completeExceptionally(e);
                                throw e;
                            }
                        });
        if (!runs) {
            crossing.completeExceptionally(new IOException("the server has stopped"));
        }
        return crossing;
    }

    private CompletableFuture<byte[]> takeOfBody(boolean keeps) {
        CompletableFuture<byte[]> bytes = incoming.take(keeps);
        if (!ended) {
            if (!incoming.ended()) {
                wire.wantBody();
            }
            wire.stored();
        }
        return bytes;
    }

    static <T> T join(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BodyRefused refused) {
                throw refused;
            }
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "interrupted: the server stops, or the deadline has passed");
        }
    }

    OptionalLong bodyLength() {
        return bodyLength < 0 ? OptionalLong.empty() : OptionalLong.of(bodyLength);
    }

    @Override
    public SocketAddress remote() {
        return forwarded != null ? forwarded.client() : ofWire(wire::remote);
    }

    @Override
    public SocketAddress peer() {
        return ofWire(wire::peer);
    }

    private SocketAddress ofWire(Supplier<SocketAddress> address) {
        if (worker.loop.enter()) {
            try {
                return address.get();
            } finally {
                worker.loop.exit();
            }
        }
        return ask(() -> CompletableFuture.completedFuture(address.get())).join();
    }

    /** It has not changed since the connection began. Any thread. */
    Optional<TlsSession> tls() {
        return wire.tls();
    }

    @Override
    public String id() {
        if (id == null) {
            id = worker.nextId();
        }
        return id;
    }

    Loop carrier() {
        return worker.loop;
    }

    SocketAddress local() {
        return wire.local();
    }

    boolean connected() {
        return wire.connected();
    }

    /** Has {@code task} run on the loop when the client has gone. Any thread. */
    void whenGone(Runnable task) {
        onLoop(
                () -> {
                    if (gone) {
                        tellGone(task);
                    } else if (!ended) {
                        if (whenGone == null) {
                            whenGone = new ArrayList<>(1);
                        }
                        whenGone.add(task);
                    }
                });
    }

    // ---- on the loop

    /** The client has, before the response was complete. */
    void gone() {
        gone = true;
        if (whenGone != null) {
            List<Runnable> all = whenGone;
            whenGone = null;
            all.forEach(this::tellGone);
        }
    }

    private void tellGone(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            worker.failed(id(), e);
        }
    }

    private void respond(Response response, byte[] bytes) {
        if (responded) {
            return;
        }
        responded = true;
        status = response.status();
        bytesOut = headOnly || response.bodiless() ? 0 : bytes.length;
        wire.send(response, bytes);
    }

    private void respond(Response response, Content.Pieces pieces) {
        if (responded || headOnly || response.bodiless() || !wire.connected()) {
            pieces.release();
            if (begin(response, pieces.length())) {
                wire.end();
            }
            return;
        }
        List<Piece> all;
        try {
            all = pieces.take();
        } catch (IllegalStateException e) {
            answer(failed(e));
            return;
        }
        begin(response, pieces.length());
        bytesOut = pieces.length();
        for (Piece piece : all) {
            switch (piece) {
                case Piece.Bytes(byte[] bytes) -> wire.piece(bytes);
                case Piece.Region(OpenFile file, long from, long length) ->
                        wire.file(file, from, length);
            }
        }
        if (bytesOut <= ENDED_WHEN_WRITTEN) {
            wire.end();
        } else {
            wire.writable() // else it is gone, and the wire tells of it
                    .thenRun(wire::end);
        }
    }

    private void upgrade(Response response, Content.Upgrade asked) {
        if (responded || !wire.connected()) {
            return;
        }
        switch (Handshake.of(request, incoming != null, asked.sockets())) {
            case Handshake.Refused(Rule why, Headers fields) -> {
                Response page = worker.page(why.status(), Status.reason(why.status()));
                responded = true;
                status = why.status();
                wire.refuse(why, page.with(fields));
            }
            case Handshake.Accepted accepted -> {
                responded = true;
                status = response.status();
                WebSocketListener listener =
                        asked.listener()
                                .orElseGet(
                                        () ->
                                                new Talk(
                                                        asked.conversation().get(),
                                                        worker,
                                                        endpoint.kind()));
                TaskKind kind = asked.listener().isPresent() ? endpoint.listenerKind() : null;
                wire.upgrade(
                        response.with(accepted.fields()),
                        connection ->
                                new WebSocketConnection(
                                        connection,
                                        worker,
                                        asked.sockets(),
                                        accepted.compression().orElse(null),
                                        accepted.subprotocol(),
                                        listener,
                                        kind,
                                        id()));
            }
        }
    }

    private boolean begin(Response response, long length) {
        if (responded) {
            return false;
        }
        responded = true;
        status = response.status();
        wire.begin(response, length);
        return true;
    }

    private void breakOff() {
        if (!ended) {
            wire.breakOff();
        }
    }

    /**
     * Has the loop call {@code then} with what {@code stage} is completed with, if it still can.
     */
    private <T> void await(CompletionStage<T> stage, Consumer<T> then) {
        waitsForLater = true;
        thread = null;
        stage.whenComplete(
                (value, thrown) -> {
                    Throwable failure =
                            value == null && thrown == null
                                    ? new NullPointerException(
                                            "a response for later, or its handler, was null")
                                    : thrown;
                    Response page = failure == null ? null : failed(failure);
                    worker.execute(
                            () -> {
                                waitsForLater = false;
                                if (responded || !wire.connected()) {
                                    if (value instanceof Response late) {
                                        late.release();
                                    }
                                    return;
                                }
                                if (page == null) {
                                    then.accept(value);
                                } else {
                                    answer(page);
                                }
                            });
                });
    }

    private void answerLate(Response found) {
        if (found.atHand()) {
            answer(found);
        } else {
            worker.virtual(this, () -> answer(found));
        }
    }

    /** Calls another handler for the same request. */
    private void goOn(Handler next) {
        handler = next;
        dispatch();
    }

    /** Has the handler run where its route says. */
    void dispatch() {
        switch (endpoint.handling()) {
            case INLINE -> run();
            case VIRTUAL, LOOP -> worker.virtual(this, this);
            case POOL -> {
                request.detach();
                worker.pool(this);
            }
        }
    }

    /** Bytes of the request's body so far. */
    @Override
    public long bytesIn() {
        return incoming == null ? 0 : incoming.total();
    }

    /** Bytes of memory that it takes while it waits: its head, and what was read of its body. */
    long stored() {
        return request.stored() + (incoming == null ? 0 : incoming.stored());
    }

    boolean headOnly() {
        return headOnly;
    }

    /** Whether the handler has not begun to answer; another thread may see it a little late. */
    boolean pending() {
        return !responded;
    }

    /** Interrupts the handler, whose response is no longer needed. Takes no lock. */
    void cancel() {
        Thread handling = thread;
        if (handling != null
                && handling != INTERRUPTING
                && THREAD.compareAndSet(this, handling, INTERRUPTING)) {
            try {
                handling.interrupt();
            } finally {
                THREAD.compareAndSet(this, INTERRUPTING, handling);
            }
        }
    }

    /** The calling thread runs the handler from now on, until {@link #threadEnds}. */
    void threadBegins() {
        thread = Thread.currentThread();
    }

    /**
     * The calling thread goes on to something else, and takes no interrupt with it that was meant
     * for us: one that is on its way is waited for. By now the exchange may be another thread's.
     */
    void threadEnds() {
        Thread mine = Thread.currentThread();
        for (Thread now = thread; now == mine || now == INTERRUPTING; now = thread) {
            if (now == mine && THREAD.compareAndSet(this, mine, null)) {
                break;
            }
            Thread.yield();
        }
        Thread.interrupted();
    }

    // ---- for the monitor, on the loop

    /** It has come to its end: what a monitor is told of it is known now. */
    Monitor.Answered over(boolean complete) {
        this.complete = complete && !brokenOff;
        nanos = worker.loop.clock().nanos() - began;
        return this;
    }

    private Head head() {
        return kept == null ? request.peek() : kept;
    }

    @Override
    public int loop() {
        return worker.loop.index();
    }

    @Override
    public long millis() {
        return worker.loop.clock().wallMillis();
    }

    @Override
    public boolean secure() {
        return forwarded == null || forwarded.scheme().isEmpty()
                ? wire.tls().isPresent()
                : forwarded.scheme().equals("https");
    }

    @Override
    public String version() {
        return head().minor() == 0 ? "HTTP/1.0" : "HTTP/1.1";
    }

    @Override
    public String method() {
        return head().method();
    }

    @Override
    public String target() {
        return head().target();
    }

    @Override
    public String host() {
        Head head = head();
        return head.hasHost() ? head.host() : "";
    }

    @Override
    public Optional<String> header(String name) {
        Head head = head();
        int i = head.find(name);
        return i < 0 ? Optional.empty() : Optional.of(head.value(i));
    }

    @Override
    public Optional<String> user() {
        return request.attribute(Request.USER).map(Object::toString);
    }

    @Override
    public String route() {
        return endpoint.path();
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public long bytesOut() {
        return bytesOut;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public boolean complete() {
        return complete;
    }

    @Override
    public Optional<Rule> rule() {
        return Optional.ofNullable(rule);
    }

    @Override
    public Optional<String> refusedBy() {
        return request.refusedBy();
    }

    // ---- for BodyStream, on the handler's thread

    /**
     * Sends a piece, with the head before it if it is the first; answers whether the writer shall
     * go on.
     */
    void send(
            Response head, long length, boolean first, byte[] bytes, int from, int to, boolean last)
            throws IOException {
        CompletableFuture<Void> room;
        if (worker.loop.enter()) {
            try {
                room = sendNow(head, length, first, bytes, from, to, last);
            } finally {
                worker.loop.exit();
            }
            worker.loop.yieldIfLong();
        } else {
            byte[] copy = java.util.Arrays.copyOfRange(bytes, from, to);
            room = ask(() -> sendNow(head, length, first, copy, 0, copy.length, last));
        }
        join(room);
    }

    private CompletableFuture<Void> sendNow(
            Response head,
            long length,
            boolean first,
            byte[] bytes,
            int from,
            int to,
            boolean last) {
        if (ended || first && responded && !early) {
            return CompletableFuture.failedFuture(
                    new IOException("the deadline of the response has passed"));
        }
        if (!wire.connected()) {
            return CompletableFuture.failedFuture(new IOException("the client is gone"));
        }
        if (first && !early) {
            begin(head, length);
        }
        if (from < to) {
            bytesOut += to - from;
            wire.data(bytes, from, to);
        }
        if (last) {
            wire.end();
            return CompletableFuture.completedFuture(null);
        }
        return wire.writable();
    }

    private static VarHandle threadField() {
        try {
            return MethodHandles.lookup().findVarHandle(Exchange.class, "thread", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
