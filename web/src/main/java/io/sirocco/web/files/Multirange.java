// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.BodySegment;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.net.OpenFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Several ranges in one response, {@code multipart/byteranges} (RFC 9110 14.6):
 *
 * <pre>
 *   --boundary
 *   Content-Type: video/mp4
 *   Content-Range: bytes 0-499/8000
 *
 *   ...500 bytes...
 *   --boundary
 *   ...
 *   --boundary--
 * </pre>
 *
 * Any thread.
 */
final class Multirange {
    private Multirange() {}

    /** The response, with these fields besides; null when the file of the store has been closed. */
    static Response of(List<ByteRange> ranges, Store store, String type, Headers fields) {
        String boundary = boundary();
        String before = "--" + boundary + "\r\nContent-Type: " + type + "\r\nContent-Range: ";
        var pieces = new ArrayList<BodySegment>(2 * ranges.size() + 1);
        for (ByteRange range : ranges) {
            String lineEnd = pieces.isEmpty() ? "" : "\r\n";
            pieces.add(text(lineEnd + before + range.of(store.size()) + "\r\n\r\n"));
            BodySegment content = content(range, store);
            if (content == null) {
                release(pieces);
                return null;
            }
            pieces.add(content);
        }
        pieces.add(text("\r\n--" + boundary + "--\r\n"));
        return Response.segments(pieces)
                .status(206)
                .headers(fields)
                .contentType("multipart/byteranges; boundary=" + boundary);
    }

    private static BodySegment content(ByteRange range, Store store) {
        return switch (store) {
            case Store.Memory(byte[] bytes, _) ->
                    new BodySegment.Bytes(Representation.slice(bytes, range));
            case Store.Disk(OpenFile file) ->
                    file.retain()
                            ? new BodySegment.Region(file, range.first(), range.length())
                            : null;
            case Store.Unmade _ -> throw new IllegalStateException("it has no bytes yet");
        };
    }

    private static void release(List<BodySegment> pieces) {
        for (BodySegment piece : pieces) {
            if (piece instanceof BodySegment.Region region) {
                region.file().release();
            }
        }
    }

    private static BodySegment text(String text) {
        return new BodySegment.Bytes(text.getBytes(ISO_8859_1));
    }

    /** 120 bits of chance: it will not stand in the content. */
    private static String boundary() {
        var random = ThreadLocalRandom.current();
        return Long.toString(random.nextLong(1L << 60), 36)
                + Long.toString(random.nextLong(1L << 60), 36);
    }
}
