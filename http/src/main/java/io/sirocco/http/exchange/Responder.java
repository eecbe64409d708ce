// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BodySegment;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.Handler;
import io.sirocco.http.Response;
import io.sirocco.http.body.Segments;
import io.sirocco.http.body.SharedOutput;
import io.sirocco.net.OpenFile;
import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Sends the responses of handlers, depending on their content, from the handler's thread on the
 * loop. One for each loop, without a state of its own.
 *
 * <pre>
 *   handler's thread                               loop
 *   respond ───────────────────────────────────────▶ stream.send                  known bytes
 *                       ├── write ─────────────────▶ stream.begin, data ..., end  written while sent
 *                       └── await ──┐
 *           any thread completes ───┴──────────────▶ respond; or another handler
 * </pre>
 *
 * <p>A virtual thread that the loop carries is on the loop while it runs, so for it an arrow is a
 * plain call. Methods say where they run.
 */
final class Responder {
    static {
        LinkedErrors.link(Throwable.class);
    }

    /** How long the headers of a stream of events wait for the first event, in milliseconds. */
    private static final long FIRST_EVENT = 100;

    /**
     * A response of segments with up to this many bytes is complete when it is written; a longer
     * one, when most of it was sent. The kernel usually takes as much of a file at once.
     */
    private static final long ENDED_WHEN_WRITTEN = 512 << 10;

    private final LoopContext context;

    Responder(LoopContext context) {
        this.context = context;
    }

    /** Sends {@code response}. Any thread. */
    void respond(Exchange exchange, ResponseMessage response) {
        switch (response.content()) {
            case Content.Bytes(byte[] bytes) -> respond(exchange, response, bytes);
            case Content.Async(CompletionStage<Response> later, boolean inCall) ->
                    onLoop(
                            exchange,
                            () ->
                                    await(
                                            exchange,
                                            later,
                                            inCall,
                                            it -> respondAsync(exchange, (ResponseMessage) it)));
            case Content.AsyncHandler(CompletionStage<? extends Handler> next) ->
                    onLoop(
                            exchange,
                            () -> await(exchange, next, false, it -> callNext(exchange, it)));
            case Content.Stream(BodyWriter writer, long length) ->
                    stream(exchange, response, writer, length);
            case Content.Source source ->
                    onLoopOrRelease(
                            exchange,
                            source,
                            () -> new BodyPump(exchange, response, source).start());
            case Content.EventStream(BodyWriter writer) -> {
                exchange.isEventStream = true;
                onLoop(exchange, () -> beginSoon(exchange, response));
                stream(exchange, response, writer, -1);
            }
            case Content.Pieces(Segments all) ->
                    onLoopOrRelease(
                            exchange, response.content(), () -> send(exchange, response, all));
            case Content.Upgrade upgrade ->
                    onLoopOrRelease(
                            exchange,
                            upgrade,
                            () -> WebSocketUpgrade.of(exchange, response, upgrade));
            case Content.Switch next ->
                    onLoop(exchange, () -> ProtocolUpgrade.of(exchange, response, next));
            case Content.File file -> {
                try {
                    var pieces = new Segments(List.of(opened(file)));
                    onLoopOrRelease(
                            exchange,
                            new Content.Pieces(pieces),
                            () -> send(exchange, response, pieces));
                } catch (IOException e) {
                    respond(exchange, exchange.failure(e));
                }
            }
        }
    }

    /** Sends a response whose handler is still running. Any thread. */
    void begin(Exchange exchange, ResponseMessage response) {
        if (!(response.content() instanceof Content.Source source)) {
            throw new IllegalArgumentException(
                    "A response that begins before its handler returns has a BodySource.");
        }
        onLoopOrRelease(exchange, source, () -> new BodyPump(exchange, response, source).begin());
    }

    /** The common case, which allocates nothing on the loop. */
    private void respond(Exchange exchange, ResponseMessage response, byte[] bytes) {
        if (!context.loop.enter()) {
            context.execute(() -> guarded(exchange, () -> send(exchange, response, bytes)));
            return;
        }
        try {
            send(exchange, response, bytes);
        } catch (Throwable e) {
            recover(exchange, e);
        } finally {
            context.loop.exit();
        }
    }

    private static BodySegment opened(Content.File file) throws IOException {
        OpenFile open = OpenFile.open(file.path());
        return new BodySegment.Region(open, 0, open.size()); // it may have grown since
    }

    /**
     * Runs {@code task} on the loop: at once if the caller is on it. Returns false if the loop has
     * ended, and the task does not run. Any thread.
     */
    boolean onLoop(Exchange exchange, Runnable task) {
        if (context.loop.enter()) {
            try {
                guarded(exchange, task);
            } finally {
                context.loop.exit();
            }
            return true;
        }
        return context.execute(() -> guarded(exchange, task));
    }

    /** Does the same; releases the content if the loop has ended. Any thread. */
    private void onLoopOrRelease(Exchange exchange, Content content, Runnable task) {
        if (!onLoop(exchange, task)) {
            content.release();
        }
    }

    /** Ensures that after an exception on the loop no client waits until its timeout. */
    private void guarded(Exchange exchange, Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            recover(exchange, e);
        }
    }

    private void recover(Exchange exchange, Throwable thrown) {
        ResponseMessage page = exchange.failure(thrown);
        if (exchange.responded) {
            exchange.breakOff();
        } else {
            send(exchange, page, ((Content.Bytes) page.content()).bytes());
        }
    }

    // ---- known contents, on the loop

    private void send(Exchange exchange, ResponseMessage response, byte[] bytes) {
        exchange.handlerEnded();
        if (exchange.responded) {
            return;
        }
        exchange.responded = true;
        exchange.status = response.status();
        exchange.send(response, bytes);
    }

    private void send(Exchange exchange, ResponseMessage response, Segments pieces) {
        exchange.handlerEnded();
        HttpStream stream = exchange.stream;
        if (exchange.responded || exchange.headOnly || response.bodiless() || !stream.open()) {
            pieces.release();
            if (exchange.begin(response, pieces.length())) {
                exchange.end(response);
            }
            return;
        }
        List<BodySegment> all;
        try {
            all = pieces.take();
        } catch (IllegalStateException e) {
            respond(exchange, exchange.failure(e));
            return;
        }
        exchange.begin(response, pieces.length());
        exchange.bytesOut = pieces.length();
        for (BodySegment piece : all) {
            switch (piece) {
                case BodySegment.Bytes(byte[] bytes) -> stream.piece(bytes);
                case BodySegment.Slice(byte[] bytes, int from, long length) ->
                        stream.piece(bytes, from, from + (int) length);
                case BodySegment.Region(OpenFile file, long from, long length) ->
                        stream.file(file, from, length);
            }
        }
        if (exchange.bytesOut <= ENDED_WHEN_WRITTEN) {
            exchange.end(response);
        } else {
            // unless the client has disconnected, which was reported
            exchange.writable().thenRun(() -> exchange.end(response));
        }
    }

    // ---- bodies that are written while they are sent

    private void stream(
            Exchange exchange, ResponseMessage response, BodyWriter writer, long length) {
        if (exchange.headOnly || response.bodiless()) {
            onLoop(
                    exchange,
                    () -> {
                        exchange.handlerEnded();
                        if (exchange.begin(response, length)) {
                            exchange.end(response);
                        }
                    });
        } else if (context.isOwnThread()) { // an inline handler: its writer may block, so not here
            onThread(exchange, () -> write(exchange, response, writer, length));
        } else {
            write(exchange, response, writer, length);
        }
    }

    private void write(
            Exchange exchange, ResponseMessage response, BodyWriter writer, long length) {
        var body = new BodyStream(exchange, response, length);
        var out = new SharedOutput(body);
        try {
            writer.write(out);
            out.close();
        } catch (Throwable e) {
            try {
                if (body.begins()) {
                    out.flush(); // so that nothing of what was produced is lost
                }
            } catch (Throwable another) {
                // the client has gone, or is too slow: nothing more arrives
            }
            broken(exchange, body, e);
        }
    }

    /** Handles a failed writer: a response that has begun is broken off. */
    private void broken(Exchange exchange, BodyStream out, Throwable thrown) {
        ResponseMessage page = exchange.failure(thrown);
        onLoop(
                exchange,
                () -> {
                    exchange.handlerEnded();
                    if (out.begun() || exchange.early) {
                        exchange.cutOff();
                    } else {
                        send(exchange, page, ((Content.Bytes) page.content()).bytes());
                    }
                });
    }

    /** Sends the headers before the body, so that the client knows that it is connected. */
    private void beginSoon(Exchange exchange, ResponseMessage response) {
        context.loop.schedule(
                FIRST_EVENT,
                () -> {
                    if (exchange.pending() && exchange.stream.open() && !exchange.headOnly) {
                        exchange.early = exchange.begin(response, -1);
                    }
                });
    }

    // ---- asynchronous responses

    /**
     * Calls {@code then} on the loop with the result of {@code stage}, unless it is too late: in a
     * task of its own, so that the code that completes the stage finishes first. With {@code
     * inCall}, it is called at once if the stage completes on the loop.
     */
    private <T> void await(
            Exchange exchange, CompletionStage<T> stage, boolean inCall, Consumer<T> then) {
        exchange.awaitResponse();
        stage.whenComplete(
                (value, thrown) -> {
                    Throwable failure =
                            value == null && thrown == null
                                    ? new NullPointerException(
                                            "an asynchronous response, or its handler, was null")
                                    : thrown;
                    ResponseMessage page =
                            failure == null ? null : Failures.response(exchange, failure);
                    Runnable task =
                            () -> {
                                exchange.awaitsResponse = false;
                                if (exchange.responded || !exchange.stream.open()) {
                                    exchange.handlerEnded();
                                    release(value);
                                } else if (page == null) {
                                    then.accept(value);
                                } else {
                                    respond(exchange, exchange.finished(page));
                                }
                            };
                    boolean runs =
                            inCall
                                    ? onLoop(exchange, task)
                                    : context.execute(() -> guarded(exchange, task));
                    if (!runs) { // the loop has ended
                        release(value);
                    }
                });
    }

    /** Releases the content of a response that comes too late. */
    private static void release(Object late) {
        if (late instanceof ResponseMessage response) {
            response.content().release();
        }
    }

    private void respondAsync(Exchange exchange, ResponseMessage response) {
        if (response.content().needsNoThread()) {
            respond(exchange, response);
        } else {
            onThread(exchange, () -> respond(exchange, response));
        }
    }

    private void onThread(Exchange exchange, Runnable task) {
        context.virtual(
                exchange,
                () -> {
                    try {
                        task.run();
                    } catch (Throwable e) {
                        exchange.handlerLost(e);
                    }
                });
    }

    /** Calls another handler for the same request. */
    private static void callNext(Exchange exchange, Handler next) {
        exchange.handler = next;
        exchange.dispatch();
    }
}
