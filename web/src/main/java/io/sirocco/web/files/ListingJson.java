// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import java.time.Instant;

/** A list of files for programs. Any thread. */
final class ListingJson {
    private ListingJson() {}

    static String of(String path, Listing.Items items) {
        var json = new StringBuilder(64 + 96 * items.all().size());
        json.append("{\"path\": ");
        text("/" + path, json);
        json.append(", \"entries\": [");
        String separator = "\n";
        for (Listing.Item item : items.all()) {
            json.append(separator).append("{\"name\": ");
            text(item.name(), json);
            json.append(", \"type\": \"").append(item.directory() ? "directory" : "file");
            json.append("\", \"size\": ").append(item.directory() ? 0 : item.size());
            json.append(", \"modified\": \"").append(Instant.ofEpochSecond(item.modified()));
            json.append("\"}");
            separator = ",\n";
        }
        return json.append("\n], \"truncated\": ").append(items.more()).append("}\n").toString();
    }

    private static void text(String text, StringBuilder json) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
