// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/**
 * Twenty small files, of 1 to 30 KB, as a page has them beside it: ten pictures, and ten style
 * sheets and scripts, which lie there compressed as well, for clients that take gzip. The same
 * bytes in every race.
 */
final class Assets {
    private static final int EACH = 10;
    private static final int LARGEST = 30_000;

    private static final Map<String, String> TAKES_GZIP = Map.of("Accept-Encoding", "gzip");

    /** What a client that takes gzip gets. */
    static final List<Exchange> ALL = all();

    private Assets() {}

    private static List<Exchange> all() {
        var all = new ArrayList<Exchange>();
        for (int i = 0; i < EACH; i++) {
            all.add(
                    new Exchange(
                            "/files/picture" + i + ".png",
                            1,
                            List.of("image/png", "application/octet-stream"),
                            picture(i),
                            TAKES_GZIP));
            boolean style = i % 2 == 0;
            all.add(
                    new Exchange(
                            "/files/text" + i + (style ? ".css" : ".js"),
                            1,
                            style ? List.of("text/css") : SiteFiles.SCRIPT,
                            gzip(text(i)),
                            TAKES_GZIP));
        }
        return List.copyOf(all);
    }

    /** Puts them into a folder, the compressed ones beside the plain ones. */
    static void write(Path folder) throws IOException {
        for (int i = 0; i < EACH; i++) {
            byte[] text = text(i);
            String name = "text" + i + (i % 2 == 0 ? ".css" : ".js");
            Files.write(folder.resolve("picture" + i + ".png"), picture(i));
            Files.write(folder.resolve(name), text);
            Path packed = Files.write(folder.resolve(name + ".gz"), gzip(text));
            // nginx sends both as of the same time, and some servers no sibling that is older
            Files.setLastModifiedTime(packed, Files.getLastModifiedTime(folder.resolve(name)));
        }
    }

    /** 1,000 bytes, and on to {@value #LARGEST}. */
    private static int size(int i) {
        return 1_000 + i * (LARGEST - 1_000) / (EACH - 1);
    }

    private static byte[] picture(int i) {
        var bytes = new byte[size(i)];
        new Random(i).nextBytes(bytes);
        return bytes;
    }

    /** Words in no order, which gzip brings to about a third. */
    private static byte[] text(int i) {
        var random = new Random(100 + i);
        var text = new StringBuilder();
        while (text.length() < size(i)) {
            text.append(".rule").append(random.nextInt(1_000)).append(" { margin: ");
            text.append(random.nextInt(100)).append("px; }\n");
        }
        return text.substring(0, size(i)).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] gzip(byte[] bytes) {
        var packed = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }
}
