// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.bench.Call;
import io.sirocco.http.websocket.Opening;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client says to be let in, the same for all clients of a run. Immutable; the bytes must not
 * be changed.
 *
 * @param upgrade the request for a WebSocket
 * @param accept what the answer to it must hold: RFC 6455 4.2.2
 * @param ticket the request for a ticket
 * @param connect the packet CONNECT, unless it needs a ticket
 */
record Handshake(byte[] upgrade, byte[] accept, byte[] ticket, byte[] connect) {
    static Handshake of(LivePlan plan) {
        var random = new byte[16];
        new SecureRandom().nextBytes(random);
        String key = Base64.getEncoder().encodeToString(random);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("Upgrade", "websocket");
        fields.put("Connection", "Upgrade");
        fields.put("Sec-WebSocket-Key", key);
        fields.put("Sec-WebSocket-Version", Opening.VERSION);
        String target = plan.path + "?EIO=4&transport=websocket";
        String password = "{\"password\":" + quoted(plan.password.orElse("")) + "}";
        return new Handshake(
                Call.of("GET", plan.host, target, fields, new byte[0]).bytes(),
                Opening.accept(key).getBytes(ISO_8859_1),
                Call.of(
                                "POST",
                                plan.host,
                                "/ticket",
                                Map.of("Content-Type", "application/json"),
                                password.getBytes(UTF_8))
                        .bytes(),
                ("40" + (plan.password.isPresent() ? password : "")).getBytes(UTF_8));
    }

    /** As a string of JSON. */
    static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.chars()
                .forEach(
                        c -> {
                            if (c == '"' || c == '\\') {
                                quoted.append('\\').append((char) c);
                            } else if (c < ' ') {
                                quoted.append("\\u%04x".formatted(c));
                            } else {
                                quoted.append((char) c);
                            }
                        });
        return quoted.append('"').toString();
    }
}
