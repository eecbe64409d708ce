// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.body.MultipartReader;
import io.sirocco.http.body.MultipartRule;
import io.sirocco.http.body.PartStream;
import io.sirocco.http.message.Disposition;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * One field or file of a {@link Multipart} form. Its data can be read once, as a stream or at one
 * go, and only until the next part is asked for. One thread at a time.
 */
public final class Part {
    private static final MediaType PLAIN = MediaType.parse("text/plain").orElseThrow();

    private final Headers headers;
    private final Disposition disposition;
    private final PartStream stream;

    /** Rejects a part without the name that RFC 7578 4.2 demands. */
    Part(Headers headers, MultipartReader source) {
        this.headers = headers;
        this.disposition =
                headers.first("Content-Disposition")
                        .flatMap(Disposition::parse)
                        .orElseThrow(MultipartRule.DISPOSITION::failure);
        this.stream = new PartStream(source);
    }

    /** The name of the form's field. */
    public String name() {
        return disposition.name();
    }

    /**
     * The name of the file, when this is one. Folders are cut off and the rest is as the client
     * wrote it: it may be empty (no file was chosen) or anything else, so do not open a file by it.
     */
    public Optional<String> filename() {
        return disposition.filename();
    }

    /** The media type; {@code text/plain} when none is given (RFC 7578 4.4). */
    public MediaType contentType() {
        return headers.first("Content-Type").flatMap(MediaType::parse).orElse(PLAIN);
    }

    /** All headers of the part. */
    public Headers headers() {
        return headers;
    }

    /**
     * The data as it arrives. Reading throws {@link BadRequest} when the body turns out malformed
     * or too large; closing does nothing.
     */
    public InputStream stream() {
        return stream;
    }

    /** All data, at most {@link Multipart.Limits#partBytes}. */
    public byte[] bytes() {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All data as text in the charset of the part's type, or in UTF-8. */
    public String text() {
        return new String(bytes(), contentType().charset(UTF_8));
    }

    void skip() throws IOException {
        stream.skip();
    }
}
