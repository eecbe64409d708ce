// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.MimeTypes;
import java.util.Map;

/**
 * The {@code Content-Type} of a file by its name: {@link MimeTypes}, what is added to it or stands
 * in its place, and the charset of text. Immutable.
 */
final class FileTypes {
    private final Map<String, String> own;
    private final String charset;

    FileTypes(Map<String, String> own, String charset) {
        this.own = Map.copyOf(own);
        this.charset = charset.isEmpty() ? "" : "; charset=" + charset;
    }

    String of(String path) {
        String named = own.get(MimeTypes.extension(path));
        String type = named != null ? named : MimeTypes.of(path);
        if (!type.startsWith("text/") || named != null && named.indexOf(';') >= 0) {
            return type;
        }
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)) + charset;
    }
}
