// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Three files that stand for those of PokerFace's benchmark, of the same sizes and kinds: a page of
 * 81 bytes, a picture of 130,768, a script of 284,184. The same bytes in every race. A server may
 * know their types or call them all bytes: that is not what it is measured for.
 */
final class SiteFiles {
    static final List<String> SCRIPT =
            List.of("text/javascript", "application/javascript", "application/x-javascript");

    static final Exchange PAGE = file("page.html", List.of("text/html"), page());
    static final Exchange PICTURE = file("picture.jpg", List.of("image/jpeg"), picture());
    static final Exchange LIBRARY = file("library.js", SCRIPT, library());

    private SiteFiles() {}

    /** Puts them into a folder. */
    static void write(Path folder) throws IOException {
        for (Exchange file : List.of(PAGE, PICTURE, LIBRARY)) {
            String name = file.path().substring("/files/".length());
            Files.write(folder.resolve(name), file.body());
        }
    }

    private static Exchange file(String name, List<String> types, byte[] body) {
        var any = Stream.concat(types.stream(), Stream.of("application/octet-stream")).toList();
        return new Exchange("/files/" + name, 1, any, body, Map.of());
    }

    private static byte[] page() {
        return "<!doctype html><meta charset=utf-8><title>Page</title><p>Three bytes each: \u20ac\u2713"
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Nothing that could be packed. */
    private static byte[] picture() {
        var bytes = new byte[130_768];
        new Random(130_768).nextBytes(bytes);
        return bytes;
    }

    private static byte[] library() {
        byte[] line =
                "function answer(question) { return question + 42; } // and so on\n"
                        .getBytes(StandardCharsets.US_ASCII);
        var bytes = new byte[284_184];
        for (int at = 0; at < bytes.length; at += line.length) {
            System.arraycopy(line, 0, bytes, at, Math.min(line.length, bytes.length - at));
        }
        return bytes;
    }
}
