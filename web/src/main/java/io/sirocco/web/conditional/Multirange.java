// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.conditional;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.BodySegment;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

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
public final class Multirange {
    private Multirange() {}

    /**
     * Returns the response; null if a segment cannot be had, such as that of a file that was
     * closed.
     *
     * @param size of the representation in bytes
     * @param content returns the bytes of a range, a file among them retained, or null
     * @param fields the headers of the representation
     */
    public static Response of(
            List<ByteRange> ranges,
            long size,
            Function<ByteRange, BodySegment> content,
            String type,
            Headers fields) {
        String boundary = boundary();
        String before = "--" + boundary + "\r\nContent-Type: " + type + "\r\nContent-Range: ";
        var pieces = new ArrayList<BodySegment>(2 * ranges.size() + 1);
        for (ByteRange range : ranges) {
            String lineEnd = pieces.isEmpty() ? "" : "\r\n";
            pieces.add(text(lineEnd + before + range.of(size) + "\r\n\r\n"));
            BodySegment segment = content.apply(range);
            if (segment == null) {
                release(pieces);
                return null;
            }
            pieces.add(segment);
        }
        pieces.add(text("\r\n--" + boundary + "--\r\n"));
        return Response.forwarded(206, fields, pieces)
                .contentType("multipart/byteranges; boundary=" + boundary);
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
