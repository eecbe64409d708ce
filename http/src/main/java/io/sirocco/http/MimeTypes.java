// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Media types by the extension of a file's name, from IANA's registry and, for what is not
 * registered, from common use. Text is declared as UTF-8. Immutable.
 */
public final class MimeTypes {
    /** What a file is when its extension says nothing (RFC 2046 4.5.1). */
    public static final String UNKNOWN = "application/octet-stream";

    private static final String TABLE =
            """
            text/html                html htm
            text/css                 css
            text/javascript          js mjs cjs
            text/plain               txt text log conf ini properties
            text/csv                 csv
            text/tab-separated-values tsv
            text/markdown            md markdown
            text/calendar            ics
            text/vcard               vcf
            text/vtt                 vtt
            text/xml                 xml xsd xsl
            application/json         json map
            application/ld+json      jsonld
            application/geo+json     geojson
            application/manifest+json webmanifest
            application/xhtml+xml    xhtml
            application/atom+xml     atom
            application/rss+xml      rss
            application/yaml         yaml yml
            application/toml         toml
            application/sql          sql
            application/wasm         wasm
            application/pdf          pdf
            application/rtf          rtf
            application/epub+zip     epub
            application/postscript   ps eps ai
            application/zip          zip
            application/gzip         gz tgz
            application/x-bzip2      bz2
            application/x-xz         xz
            application/zstd         zst
            application/x-7z-compressed 7z
            application/vnd.rar      rar
            application/x-tar        tar
            application/java-archive jar war ear
            application/msword       doc
            application/vnd.ms-excel xls
            application/vnd.ms-powerpoint ppt
            application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
            application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
            application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
            application/vnd.oasis.opendocument.text odt
            application/vnd.oasis.opendocument.spreadsheet ods
            application/vnd.oasis.opendocument.presentation odp
            application/vnd.android.package-archive apk
            application/vnd.ms-fontobject eot
            font/woff                woff
            font/woff2               woff2
            font/ttf                 ttf
            font/otf                 otf
            font/collection          ttc
            image/png                png
            image/apng               apng
            image/jpeg               jpg jpeg
            image/gif                gif
            image/webp               webp
            image/avif               avif
            image/heic               heic
            image/svg+xml            svg
            image/bmp                bmp
            image/tiff               tif tiff
            image/vnd.microsoft.icon ico
            image/jxl                jxl
            audio/mpeg               mp3
            audio/mp4                m4a
            audio/aac                aac
            audio/ogg                oga ogg opus
            audio/flac               flac
            audio/wav                wav
            audio/midi               mid midi
            audio/webm               weba
            video/mp4                mp4 m4v
            video/webm               webm
            video/ogg                ogv
            video/mpeg               mpg mpeg
            video/quicktime          mov
            video/x-msvideo          avi
            video/x-matroska         mkv
            video/mp2t               ts m2ts
            video/3gpp               3gp
            application/vnd.apple.mpegurl m3u8
            application/dash+xml     mpd
            model/gltf-binary        glb
            model/gltf+json          gltf
            """;

    private static final Map<String, String> BY_EXTENSION = table();

    private MimeTypes() {}

    /**
     * The type for a file's name or path, whatever the case of its extension; {@link #UNKNOWN} when
     * it has none or an unknown one.
     */
    public static String of(String fileName) {
        String last = fileName.substring(fileName.lastIndexOf('/') + 1);
        int dot = last.lastIndexOf('.');
        return dot < 0
                ? UNKNOWN
                : BY_EXTENSION.getOrDefault(
                        last.substring(dot + 1).toLowerCase(Locale.ROOT), UNKNOWN);
    }

    private static Map<String, String> table() {
        var map = new HashMap<String, String>();
        TABLE.lines()
                .map(line -> line.split(" +"))
                .forEach(
                        words -> {
                            String charset = words[0].startsWith("text/") ? "; charset=utf-8" : "";
                            for (int i = 1; i < words.length; i++) {
                                map.put(words[i], words[0] + charset);
                            }
                        });
        return Map.copyOf(map);
    }
}
