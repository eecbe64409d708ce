// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.graalvm.polyglot.Value;

/**
 * The response that scripts inspect, and its body if one of them reads it: as a whole, on a virtual
 * thread of the loop. Any thread.
 */
final class ResponseReader {
    /** The content codings that scripts can read. */
    static final Set<String> CODINGS = Set.of("gzip", "x-gzip");

    /** Headers that describe the bytes of a body. */
    private static final List<String> OF_THE_BODY =
            List.of("Content-Encoding", "Content-Digest", "Repr-Digest", "ETag");

    private static final String TOO_LONG = "The body of the response is longer than maxBodyBytes.";

    private final Request request;
    private final boolean bodiless;
    private final int maxBytes;
    private final Headers original;
    private volatile Response response;
    private volatile boolean read;
    private volatile boolean broken;
    private volatile Thread thread; // null unless the body is read

    ResponseReader(Request request, Response response, int maxBytes) {
        this.request = request;
        this.response = response;
        this.maxBytes = maxBytes;
        this.original = response.headers();
        this.bodiless =
                request.method().equals("HEAD")
                        || response.status() == 204
                        || response.status() == 304;
    }

    /** Returns the response with the body that was read, or as it was. */
    Response response() {
        return response;
    }

    /** Returns whether the body of the handler is used up. */
    boolean isRead() {
        return read;
    }

    /** Returns whether only a part of the body was read, so that the response cannot be sent. */
    boolean isBroken() {
        return broken;
    }

    /** Reads the body, and tells the script in its context. Called once by the worker. */
    void read(ScriptRequest script, Value resolve, Value reject) {
        if (!coding().isEmpty() && !CODINGS.contains(coding()) && !bodiless) {
            reject.executeVoid(
                    "The body of the response has the coding '"
                            + coding()
                            + "'; scripts can read gzip.");
            return;
        }
        OptionalLong length = response.length();
        if (length.isPresent() && length.getAsLong() > maxBytes && !bodiless) {
            reject.executeVoid(TOO_LONG);
            return;
        }
        thread = request.loop().startVirtual(() -> readHere(script, resolve, reject));
    }

    private void readHere(ScriptRequest script, Value resolve, Value reject) {
        Worker worker = script.worker;
        var bytes = new ByteArrayOutputStream();
        try {
            if (!bodiless) {
                read = true;
                response.writeBody(new Bounded(bytes, maxBytes));
                response = Response.forwarded(response.status(), original, bytes.toByteArray());
            }
            byte[] content = decoded(bytes.toByteArray());
            ByteBuffer body = ByteBuffer.wrap(content);
            String text = new String(content, charset());
            worker.post(script, () -> resolve.executeVoid(body, text));
        } catch (IOException | InterruptedException | RuntimeException e) {
            String message = e instanceof TooLong ? TOO_LONG : "The body did not arrive.";
            broken = true;
            worker.post(script, () -> reject.executeVoid(message));
        }
    }

    private String coding() {
        String all = String.join(", ", response.headers().all("Content-Encoding"));
        String coding = all.strip().toLowerCase(Locale.ROOT);
        return coding.equals("identity") ? "" : coding;
    }

    private byte[] decoded(byte[] bytes) throws IOException {
        if (coding().isEmpty() || bytes.length == 0) {
            return bytes;
        }
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            byte[] content = in.readNBytes(maxBytes);
            if (in.read() >= 0) {
                throw new TooLong();
            }
            return content;
        }
    }

    /**
     * Returns headers of a response whose body scripts have replaced, without those that are still
     * as they were and describe the old one.
     */
    Headers ofAnotherBody(Headers sent) {
        Headers kept = sent;
        for (String name : OF_THE_BODY) {
            boolean same = sent.all(name).equals(original.all(name));
            kept = same ? kept.without(name) : kept;
        }
        return kept;
    }

    private Charset charset() {
        return response.headers()
                .first("Content-Type")
                .flatMap(MediaType::parse)
                .flatMap(MediaType::charset)
                .orElse(UTF_8);
    }

    /** Ends the read, since nobody needs the body any more. */
    void cancel() {
        Thread of = thread;
        if (of != null) {
            of.interrupt();
        }
    }

    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** Fails beyond a number of bytes. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream out;
        private final int most;

        Bounded(ByteArrayOutputStream out, int most) {
            this.out = out;
            this.most = most;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (length > most - out.size()) {
                throw new TooLong();
            }
            out.write(bytes, from, length);
        }
    }
}
