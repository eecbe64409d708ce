// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import static java.nio.charset.StandardCharsets.UTF_8;

import clojure.lang.Counted;
import clojure.lang.IPending;
import clojure.lang.IPersistentMap;
import clojure.lang.ISeq;
import clojure.lang.Keyword;
import clojure.lang.RT;
import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.MediaType;
import io.sirocco.http.Response;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Turns response maps of Ring into responses. Any thread. */
final class RingResponses {
    private static final byte[] NONE = {};

    private RingResponses() {}

    /**
     * Returns the response of a map, 404 for nil.
     *
     * @param later whether the handler has returned before
     * @throws IllegalArgumentException if the map is no response
     */
    static Response of(Object result, RequestValues request, boolean later) {
        if (result == null) {
            return Response.empty(404);
        }
        if (!(result instanceof IPersistentMap map)) {
            throw new IllegalArgumentException(
                    "A handler must return a map or nil, not an object of "
                            + result.getClass().getName());
        }
        Object body = map.valAt(Keys.BODY);
        if (body instanceof RingChannel || body instanceof RingChannel.View) {
            return RingChannel.of(body).respond();
        }
        Object listener = map.valAt(Keys.LISTENER);
        if (listener == null) {
            listener = map.valAt(Keys.OUR_LISTENER);
        }
        if (listener != null) {
            return webSocket(map, listener, request);
        }
        try {
            return message(map, body, request, later);
        } catch (Throwable e) {
            if (body instanceof InputStream in) {
                close(in); // nobody will read it
            }
            throw e;
        }
    }

    private static Response webSocket(IPersistentMap map, Object listener, RequestValues request) {
        Object subprotocol = map.valAt(Keys.SUBPROTOCOL);
        if (subprotocol == null) {
            subprotocol = map.valAt(Keys.OUR_SUBPROTOCOL);
        }
        var callbacks = (WebSocketCallbacks) request.adapter.settings.callbacks().invoke(listener);
        return Response.webSocket(
                request.adapter.webSockets((String) subprotocol), new RingSocket(callbacks));
    }

    private static Response message(
            IPersistentMap map, Object body, RequestValues request, boolean later) {
        int status = status(map.valAt(Keys.STATUS));
        RingHeaderReader headers = RingHeaderReader.of(map.valAt(Keys.HEADERS));
        byte[] bytes = bytes(body, headers.contentType);
        if (status == 205) { // it has no content (RFC 9110 15.3.6)
            bytes = NONE;
            if (body instanceof InputStream in) {
                close(in);
            }
        }
        Response response;
        if (bytes == null) {
            response = streamed(map, body, headers, status, request, later);
        } else if (bytes.length == 0 && headers.length > 0 && request.isHead()) {
            response = Response.forwarded(status, headers.headers(), headers.length, nothing());
        } else {
            response = Response.forwarded(status, headers.headers(), bytes);
        }
        return headers.close ? response.closeConnection() : response;
    }

    static int status(Object status) {
        if (status == null) {
            return 200;
        }
        if (status instanceof Long || status instanceof Integer || status instanceof Short) {
            return Math.toIntExact(((Number) status).longValue());
        }
        throw new IllegalArgumentException(
                "The :status must be an integer, not " + RT.printString(status));
    }

    /** Returns the body if it is in memory; otherwise null. */
    static byte[] bytes(Object body, String contentType) {
        return switch (body) {
            case null -> NONE;
            case String text -> text.getBytes(charset(contentType));
            case byte[] bytes -> bytes;
            case ByteBuffer buffer -> RingSocket.bytes(buffer);
            default -> null;
        };
    }

    private static Charset charset(String contentType) {
        if (contentType == null) {
            return UTF_8;
        }
        int semicolon = contentType.indexOf(';');
        return semicolon < 0 || contentType.regionMatches(true, semicolon, "; charset=utf-8", 0, 15)
                ? UTF_8
                : MediaType.parse(contentType).map(type -> type.charset(UTF_8)).orElse(UTF_8);
    }

    private static BodySource nothing() {
        return () -> CompletableFuture.completedFuture(NONE);
    }

    private static Response streamed(
            IPersistentMap map,
            Object body,
            RingHeaderReader headers,
            int status,
            RequestValues request,
            boolean later) {
        if (body instanceof File file) {
            try {
                return Response.file(file.toPath()).status(status).headers(headers.headers());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        BodyWriter writer = writer(map, body, headers.contentType, request, later);
        if (body instanceof InputStream in) {
            if (request.isHead() || status == 204 || status == 304) {
                close(in); // nobody will read it
            } else if (later) { // the client may be gone before the writer is called
                request.request.onComplete(
                        () -> request.request.loop().startVirtual(() -> close(in)));
            }
        }
        Response response =
                headers.length < 0 || !(body instanceof InputStream)
                        ? Response.stream(writer)
                        : Response.stream(headers.length, writer);
        return response.status(status).headers(headers.headers());
    }

    private static void close(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // it has no content that anybody waits for
        }
    }

    private static BodyWriter writer(
            IPersistentMap map,
            Object body,
            String contentType,
            RequestValues request,
            boolean later) {
        RingAdapter.Settings settings = request.adapter.settings;
        if (body instanceof InputStream in) {
            return in instanceof ByteArrayInputStream
                    ? out -> copy(in, out) // which never waits
                    : timely(request, out -> copy(in, out));
        }
        if (body instanceof ISeq) {
            return sequence(body, charset(contentType), request);
        }
        if (RT.booleanCast(settings.streams().invoke(body))) {
            return later
                    ? out -> writeUntilClosed(map, body, request, out)
                    : out -> settings.writeStream().invoke(body, map, out);
        }
        if (body instanceof Iterable<?> && !(body instanceof IPersistentMap)) {
            return sequence(body, charset(contentType), request);
        }
        throw new IllegalArgumentException(
                "The :body must be nil, a String, byte[], ByteBuffer, InputStream, File, sequence,"
                        + " StreamableResponseBody or channel, not an object of "
                        + body.getClass().getName());
    }

    private static void copy(InputStream in, OutputStream out) throws IOException {
        try (in) {
            in.transferTo(out);
        }
    }

    private interface TimelyWriter {
        void write(TimelyOutput out) throws IOException;
    }

    /** Sends what a writer has written when it waits for more. */
    private static BodyWriter timely(RequestValues request, TimelyWriter writer) {
        return out -> {
            var timely = new TimelyOutput(out, request.request.loop());
            try {
                writer.write(timely);
            } finally {
                timely.finish();
            }
        };
    }

    /** Returns a writer of a sequence, which may be endless: it keeps no element. */
    private static BodyWriter sequence(Object body, Charset charset, RequestValues request) {
        if (body instanceof Counted || body instanceof Collection && !(body instanceof ISeq)) {
            return out -> addAll(RT.iter(body), charset, out); // none of them is waited for
        }
        var all = new AtomicReference<Object>(body);
        return timely(request, out -> writeAll(all, charset, out));
    }

    private static void writeAll(AtomicReference<Object> all, Charset charset, TimelyOutput out)
            throws IOException {
        if (all.get() instanceof ISeq) {
            writeSeq(RT.seq(all.getAndSet(null)), charset, out);
            return;
        }
        for (Iterator<?> each = RT.iter(all.getAndSet(null)); each.hasNext(); ) {
            Object next = each.next();
            OutputStream below = out.begin();
            try {
                add(next, charset, below);
            } finally {
                out.end();
            }
        }
    }

    private static void addAll(Iterator<?> elements, Charset charset, OutputStream out)
            throws IOException {
        while (elements.hasNext()) {
            add(elements.next(), charset, out);
        }
    }

    /** Writes those elements in a row that are known, and may wait before others. */
    private static void writeSeq(ISeq seq, Charset charset, TimelyOutput out) throws IOException {
        while (seq != null) {
            Object first = seq.first();
            OutputStream below = out.begin();
            try {
                add(first, charset, below);
                for (seq = seq.more(); isKnown(seq) && seq.seq() != null; seq = seq.more()) {
                    add(seq.first(), charset, below);
                }
            } finally {
                out.end();
            }
            seq = seq.seq();
        }
    }

    private static boolean isKnown(ISeq seq) {
        return !(seq instanceof IPending pending) || pending.isRealized();
    }

    private static void add(Object element, Charset charset, OutputStream out) throws IOException {
        if (element != null) {
            out.write(element.toString().getBytes(charset));
        }
    }

    /** Writes a body that may be written by another thread, after the call that begins it. */
    private static void writeUntilClosed(
            IPersistentMap map, Object body, RequestValues request, OutputStream out)
            throws IOException, InterruptedException {
        var closed = new CountDownLatch(1);
        request.request.onDisconnect(closed::countDown);
        var watched =
                new FilterOutputStream(out) {
                    @Override
                    public void write(byte[] bytes, int from, int length) throws IOException {
                        out.write(bytes, from, length);
                    }

                    @Override
                    public void close() throws IOException {
                        try {
                            out.close();
                        } finally {
                            closed.countDown();
                        }
                    }
                };
        request.adapter.settings.writeStream().invoke(body, map, watched);
        closed.await();
    }

    /** Returns the name of a header, be it a string or a keyword. */
    static String name(Object name) {
        return name instanceof Keyword keyword ? keyword.getName() : name.toString();
    }
}
