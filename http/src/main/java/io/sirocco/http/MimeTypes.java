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
 * Media types by file name extension: about 1,200 from IANA's registry and common use. They are in
 * the resource {@code mime.types}, which {@code src/main/tools/mime-types} generates. Text types
 * declare UTF-8. Any thread.
 */
public final class MimeTypes {
    /** The media type of a file whose extension is missing or unknown (RFC 2046 4.5.1). */
    public static final String UNKNOWN = "application/octet-stream";

    private MimeTypes() {}

    /** The table, loaded at the first use of a type that is not {@link #common}. */
    static final class Table {
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
     * Returns the media type for a file name or path, {@link #UNKNOWN} if its extension is missing
     * or unknown. Extensions are case-insensitive.
     */
    public static String of(String fileName) {
        String extension = extension(fileName);
        String common = common(extension);
        return common != null ? common : Table.BY_EXTENSION.getOrDefault(extension, UNKNOWN);
    }

    /**
     * Returns the types of most files, as the table has them, or null: a server that starts need
     * not read the table for its first pages.
     */
    static String common(String extension) {
        return switch (extension) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js", "mjs" -> "text/javascript; charset=utf-8";
            case "json" -> "application/json";
            case "txt" -> "text/plain; charset=utf-8";
            case "svg" -> "image/svg+xml";
            case "png" -> "image/png";
            case "jpg", "jpeg" -> "image/jpeg";
            case "gif" -> "image/gif";
            case "webp" -> "image/webp";
            case "ico" -> "image/vnd.microsoft.icon";
            case "woff2" -> "font/woff2";
            default -> null;
        };
    }

    /**
     * Returns the extension of a file name or path: the text after the last dot of the file name,
     * in lower case; may be empty.
     */
    public static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        return dot <= fileName.lastIndexOf('/')
                ? ""
                : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
    }
}
