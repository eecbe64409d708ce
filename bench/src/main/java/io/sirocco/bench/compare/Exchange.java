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
 * @param fields those of its request, in this order, behind Host
 */
record Exchange(
        String path, int weight, List<String> types, byte[] body, Map<String, String> fields) {

    /** A short text. */
    static Exchange text(String path, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        return new Exchange(path, 1, List.of("text/plain"), bytes, Map.of());
    }

    Exchange times(int weight) {
        return new Exchange(path, weight, types, body, fields);
    }
}
