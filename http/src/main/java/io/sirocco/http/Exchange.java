// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.Head;
import io.sirocco.net.Loop;
import io.sirocco.net.OpenFile;
import io.sirocco.net.TlsSession;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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
    final Request request;
    final Endpoint endpoint;
    final Incoming incoming;
    final long began;

    /** Null unless a recording wants it: even the class is left alone until there may be one. */
    final RequestEvent event = FlightRecorder.isInitialized() ? RequestEvent.start() : null;

    private final Wire wire;
    private final Worker worker;
    private final long bodyLength;
    private final boolean headOnly;

    volatile Thread thread; // that runs the handler, while it does
    boolean responded; // the response has begun; a later one is dropped
    boolean ended; // and it is complete
    boolean waitsForLater;
    private boolean gone; // the client is, and has not got all of the response
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
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof BadRequest e) {
                return worker.page(e.status(), e.getMessage());
            }
            if (cause instanceof BodyRefused e) {
                return worker.page(e.rule().status(), Status.reason(e.rule().status())).close();
            }
        }
        if (thrown instanceof IOException && !connected()) {
            return worker.page(
                    500, Status.reason(500)); // nobody will read it, and nobody is to blame
        }
        worker.failed(id(), thrown);
        return worker.page(500, Status.reason(500));
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

    private static Piece opened(Content.File file) throws IOException {
        return new Piece.Region(OpenFile.open(file.path()), 0, file.length());
    }

    private void onLoop(Runnable task) {
        if (worker.loop.inLoop()) {
            task.run();
        } else {
            worker.execute(task);
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
        if (out.begun()) {
            onLoop(this::breakOff);
        } else {
            onLoop(() -> respond(page, ((Content.Bytes) page.content()).bytes()));
        }
    }

    /** The next bytes of the body; none at its end. Blocks. */
    byte[] nextOfBody() throws IOException {
        if (incoming == null) {
            return new byte[0];
        }
        if (worker.loop.inLoop()) {
            return join(takeOfBody());
        }
        return join(ask(this::takeOfBody));
    }

    /** Has the loop start something; what this answers is completed with it. Any thread. */
    private <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> start) {
        var crossing = new CompletableFuture<T>();
        boolean runs =
                worker.execute(
                        () ->
                                start.get()
                                        .whenComplete(
                                                (value, thrown) -> {
                                                    if (thrown == null) {
                                                        crossing.complete(value);
                                                    } else {
                                                        crossing.completeExceptionally(thrown);
                                                    }
                                                }));
        if (!runs) {
            crossing.completeExceptionally(new IOException("the server has stopped"));
        }
        return crossing;
    }

    private CompletableFuture<byte[]> takeOfBody() {
        CompletableFuture<byte[]> bytes = incoming.take();
        if (!incoming.ended() && !ended) {
            wire.wantBody();
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
        if (worker.loop.inLoop()) {
            return wire.remote();
        }
        return ask(() -> CompletableFuture.completedFuture(wire.remote())).join();
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
                case Piece.Bytes(byte[] bytes) -> wire.data(bytes, 0, bytes.length);
                case Piece.Region(OpenFile file, long from, long length) ->
                        wire.file(file, from, length);
            }
        }
        wire.writable() // else it is gone, and the wire tells of it
                .thenRun(wire::end);
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
                                .orElseGet(() -> new Talk(asked.conversation().get(), worker));
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
            case VIRTUAL -> {
                if (!worker.loop.carriesVirtualThreads()) {
                    request.detach(); // its thread runs beside us
                }
                worker.virtual(this, this);
            }
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

    boolean headOnly() {
        return headOnly;
    }

    /** Whether the handler has not begun to answer; another thread may see it a little late. */
    boolean pending() {
        return !responded;
    }

    /** The handler shall come to its end: nobody waits for it any more. */
    synchronized void cancel() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    /**
     * The thread goes on to something else, and takes no interrupt with it that was meant for us.
     */
    synchronized void threadEnds() {
        thread = null;
        Thread.interrupted();
    }

    // ---- for the monitor, on the loop

    /** It has come to its end: what a monitor is told of it is known now. */
    Monitor.Answered over(boolean complete) {
        this.complete = complete;
        nanos = worker.loop.clock().nanos() - began;
        return this;
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
        return wire.tls().isPresent();
    }

    @Override
    public String version() {
        return request.version();
    }

    @Override
    public String method() {
        return request.method();
    }

    @Override
    public String target() {
        return request.target();
    }

    @Override
    public String host() {
        return request.host();
    }

    @Override
    public Optional<String> header(String name) {
        return request.header(name);
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

    // ---- for BodyStream, on the handler's thread

    /**
     * Sends a piece, with the head before it if it is the first; answers whether the writer shall
     * go on.
     */
    void send(
            Response head, long length, boolean first, byte[] bytes, int from, int to, boolean last)
            throws IOException {
        if (worker.loop.inLoop()) {
            join(sendNow(head, length, first, bytes, from, to, last));
        } else {
            byte[] copy = java.util.Arrays.copyOfRange(bytes, from, to);
            join(ask(() -> sendNow(head, length, first, copy, 0, copy.length, last)));
        }
    }

    private CompletableFuture<Void> sendNow(
            Response head,
            long length,
            boolean first,
            byte[] bytes,
            int from,
            int to,
            boolean last) {
        if (ended || first && responded) {
            return CompletableFuture.failedFuture(
                    new IOException("the deadline of the response has passed"));
        }
        if (!wire.connected()) {
            return CompletableFuture.failedFuture(new IOException("the client is gone"));
        }
        if (first) {
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
}
