// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.exchange.MessageBody;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * The body of a request. Read it as {@link #bytes}, as {@link #text}, as an {@link #inputStream},
 * or asynchronously by {@link #next}.
 *
 * <pre>{@code
 * byte[] all = request.body().bytes();             // at most 16 MiB
 * byte[] small = request.body().bytes(10_000);     // a longer body throws BadRequest, which becomes 413
 * request.body().inputStream().transferTo(out);    // any length, up to the limit of the route
 * }</pre>
 *
 * <p>Reading blocks until the client has sent the data; a virtual thread parks meanwhile. It throws
 * an {@link IOException} if the body exceeds the {@linkplain Config#maxBodyBytes limit} or the
 * {@linkplain Config#bodyTimeout timeout}, or if the client disconnects. A handler that does not
 * catch it responds with the right status.
 *
 * <p>Bytes and text are kept until the response, so that a filter can read them before the handler,
 * in any of the three ways. A stream can be read once; reading the body again throws {@link
 * IllegalStateException}. Used by one thread at a time.
 */
public sealed interface Body permits MessageBody {
    /** The default limit of {@link #bytes()} and {@link #text()}: 16 MiB. */
    int IN_MEMORY = 16 << 20;

    /**
     * Returns the length in bytes, if the client sent it; empty for a chunked body, 0 if there is
     * no body.
     */
    OptionalLong length();

    /**
     * Returns the whole body, up to {@link #IN_MEMORY} bytes. Each call returns the same array.
     *
     * @throws BadRequest with status 413 if the body is longer
     * @throws IllegalStateException if some of the body was read as a stream
     * @throws IOException if the body does not arrive
     */
    default byte[] bytes() throws IOException {
        return bytes(IN_MEMORY);
    }

    /**
     * Returns the whole body. Each call returns the same array.
     *
     * @param limit the maximum length in bytes
     * @throws BadRequest with status 413 if the body is longer
     * @throws IllegalStateException if some of the body was read as a stream
     * @throws IOException if the body does not arrive
     */
    byte[] bytes(int limit) throws IOException;

    /**
     * Returns the whole body as text, up to {@link #IN_MEMORY} bytes, decoded by the charset of its
     * media type or as UTF-8.
     *
     * @throws BadRequest with status 413 if the body is longer
     * @throws IllegalStateException if some of the body was read as a stream
     * @throws IOException if the body does not arrive
     */
    String text() throws IOException;

    /**
     * Returns the body as a stream that blocks until data arrives. If the body was read as bytes or
     * text before, the stream reads from memory.
     *
     * @throws IllegalStateException if some of the body was read as a stream
     */
    InputStream inputStream();

    /**
     * Returns the next bytes as soon as they arrive, an empty array at the end of the body. Never
     * blocks. For {@link ExecutionMode#INLINE} handlers that {@linkplain Route#startBeforeBody
     * start before the body}. Call it again only after the previous stage has completed. If the
     * body was read as bytes or text before, by a filter for example, this method returns them; do
     * not combine it with streams.
     *
     * @return a stage that completes on {@link Request#loop}; exceptionally with an {@link
     *     IOException} if the body does not arrive. An {@linkplain Response#async asynchronous
     *     response} that completes with this exception has the right status
     */
    CompletionStage<byte[]> next();

    /**
     * Returns the trailers of the request (RFC 9110 6.5), without those that are not allowed as
     * trailers. Empty until the whole body was read.
     */
    Headers trailers();
}
