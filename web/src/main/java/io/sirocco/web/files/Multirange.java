// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.Piece;
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
        var pieces = new ArrayList<Piece>(2 * ranges.size() + 1);
        for (ByteRange range : ranges) {
            String lineEnd = pieces.isEmpty() ? "" : "\r\n";
            pieces.add(text(lineEnd + before + range.of(store.size()) + "\r\n\r\n"));
            Piece content = content(range, store);
            if (content == null) {
                release(pieces);
                return null;
            }
            pieces.add(content);
        }
        pieces.add(text("\r\n--" + boundary + "--\r\n"));
        return Response.pieces(pieces)
                .status(206)
                .headers(fields)
                .type("multipart/byteranges; boundary=" + boundary);
    }

    private static Piece content(ByteRange range, Store store) {
        return switch (store) {
            case Store.Memory(byte[] bytes, _) ->
                    new Piece.Bytes(Representation.slice(bytes, range));
            case Store.Disk(OpenFile file) ->
                    file.retain() ? new Piece.Region(file, range.first(), range.length()) : null;
            case Store.Unmade _ -> throw new IllegalStateException("it has no bytes yet");
        };
    }

    private static void release(List<Piece> pieces) {
        for (Piece piece : pieces) {
            if (piece instanceof Piece.Region region) {
                region.file().release();
            }
        }
    }

    private static Piece text(String text) {
        return new Piece.Bytes(text.getBytes(ISO_8859_1));
    }

    /** 120 bits of chance: it will not stand in the content. */
    private static String boundary() {
        var random = ThreadLocalRandom.current();
        return Long.toString(random.nextLong(1L << 60), 36)
                + Long.toString(random.nextLong(1L << 60), 36);
    }
}
