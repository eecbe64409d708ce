// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.MediaType;
import java.util.Optional;

/** What a client would rather read (RFC 9110 12.5.1). Any thread. */
final class Accept {
    private Accept() {}

    /** Returns whether JSON is named, and liked better than HTML. */
    static boolean prefersJson(String accept) {
        if (accept == null || !accept.contains("json")) {
            return false;
        }
        double json = 0;
        double html = 0;
        double any = 0;
        for (String member : accept.split(",")) {
            Optional<MediaType> type = MediaType.parse(member);
            double weight = type.flatMap(t -> t.parameter("q")).map(Accept::weight).orElse(1.0);
            switch (type.map(MediaType::essence).orElse("")) {
                case "application/json" -> json = weight;
                case "text/html" -> html = weight;
                case "*/*" -> any = weight;
                default -> {}
            }
        }
        return json > Math.max(html, json == any ? 0 : any);
    }

    private static double weight(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
