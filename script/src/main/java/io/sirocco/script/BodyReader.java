// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Request;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.graalvm.polyglot.Value;

/**
 * Reads the body of a request for a script. Of the handler's thread, unless a method says
 * otherwise.
 */
final class BodyReader {
    private static final int PART = 16 << 10;

    /**
     * A read of a script, and the functions that settle its promise. The kind is 0 for the whole
     * body as text, 1 for the whole body as bytes, and 2 for the next bytes of the stream, which
     * are empty at its end.
     */
    record Read(int kind, Value resolve, Value reject) {}

    private final int maxBytes;
    private InputStream stream; // null until a script reads it
    private volatile Exception failure; // null unless the body did not arrive

    BodyReader(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Returns why the body did not arrive, or null. Any thread. */
    Exception failure() {
        return failure;
    }

    /** Reads, and tells the script in its context. */
    void read(Request request, Read read, ScriptRequest script) {
        Worker worker = script.worker;
        try {
            Object value =
                    switch (read.kind) {
                        case 0 -> text(request);
                        case 1 -> ByteBuffer.wrap(request.body().bytes(maxBytes));
                        default -> ByteBuffer.wrap(part(request));
                    };
            worker.post(script, () -> read.resolve.executeVoid(value));
        } catch (BadRequest e) {
            failure = e;
            worker.post(script, () -> read.reject.executeVoid(e.getMessage(), e.status()));
        } catch (IOException | RuntimeException e) {
            failure = e;
            worker.post(script, () -> read.reject.executeVoid("The body did not arrive.", 400));
        }
    }

    private String text(Request request) throws IOException {
        byte[] bytes = request.body().bytes(maxBytes);
        return new String(bytes, request.contentType().map(t -> t.charset(UTF_8)).orElse(UTF_8));
    }

    private byte[] part(Request request) throws IOException {
        if (stream == null) {
            stream = request.body().inputStream();
        }
        byte[] part = new byte[PART];
        int n = stream.read(part);
        return n < 0 ? new byte[0] : Arrays.copyOf(part, n);
    }
}
