// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringTokenizer;

/**
 * Media types by the extension of a file's name: some 1,200 of them, from IANA's registry and, for
 * what is not registered, from common use. They stand in the resource {@code mime.types}, which
 * {@code src/main/tools/mime-types} makes. Text is declared as UTF-8. Immutable.
 */
public final class MimeTypes {
    /** What a file is when its extension says nothing (RFC 2046 4.5.1). */
    public static final String UNKNOWN = "application/octet-stream";

    private MimeTypes() {}

    /** Read when it is asked for the first time. */
    private static final class Table {
        static final Map<String, String> BY_EXTENSION = read();

        private static Map<String, String> read() {
            var map = new HashMap<String, String>(4096);
            try (var in = MimeTypes.class.getResourceAsStream("mime.types");
                    var lines = new BufferedReader(new InputStreamReader(in, US_ASCII))) {
                for (String line; (line = lines.readLine()) != null; ) {
                    if (!line.startsWith("#")) {
                        add(new StringTokenizer(line), map);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException("mime.types cannot be read", e);
            }
            return map;
        }

        private static void add(StringTokenizer words, Map<String, String> map) {
            String type = words.nextToken();
            String full = type.startsWith("text/") ? type + "; charset=utf-8" : type;
            while (words.hasMoreTokens()) {
                map.put(words.nextToken(), full);
            }
        }
    }

    /**
     * The type for a file's name or path, whatever the case of its extension; {@link #UNKNOWN} when
     * it has none or an unknown one.
     */
    public static String of(String fileName) {
        return Table.BY_EXTENSION.getOrDefault(extension(fileName), UNKNOWN);
    }

    /** What stands behind the last dot of a file's name or path, in lower case; may be empty. */
    public static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        return dot <= fileName.lastIndexOf('/')
                ? ""
                : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
    }
}
