// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A GET request, and the answer to it that is right: status 200, a type, a body. Immutable; the
 * body must not be changed.
 *
 * @param weight how often it is asked beside the others of its work
 * @param types how Content-Type may begin
 * @param takes the value of Accept-Encoding; empty for none
 */
record Exchange(String path, int weight, List<String> types, byte[] body, String takes) {

    /** A short text. */
    static Exchange text(String path, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        return new Exchange(path, 1, List.of("text/plain"), bytes, "");
    }

    /** The fields of its request. */
    Map<String, String> fields() {
        return takes.isEmpty() ? Map.of() : Map.of("Accept-Encoding", takes);
    }

    Exchange times(int weight) {
        return new Exchange(path, weight, types, body, takes);
    }
}
