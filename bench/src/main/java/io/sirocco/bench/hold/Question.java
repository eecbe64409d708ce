// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.Call;
import io.sirocco.net.Chunk;
import io.sirocco.net.Connection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The request that all connections send, with places for a length in it. Immutable. */
final class Question {
    /** Stands for the length in a target: {@code {length}}, as a URL may hold it. */
    static final String PLACE = "%7Blength%7D";

    private static final int MAX_DIGITS = 19;
    private static final int MAX_BYTES = 8 << 10;

    private final List<byte[]> parts; // the length goes between them
    private final int most;

    private Question(List<byte[]> parts) {
        this.parts = parts;
        this.most = parts.stream().mapToInt(part -> part.length).sum() + parts.size() * MAX_DIGITS;
    }

    /**
     * @param asksLength whether it says how long the answer's body shall be: where the target has a
     *     {@link #PLACE}, or else in its query
     * @throws IllegalArgumentException when the target cannot be sent, is too long, or has a place
     *     and there is no length
     */
    static Question of(String host, String target, boolean asksLength) {
        boolean hasPlace = target.contains(PLACE);
        if (hasPlace && !asksLength) {
            throw new IllegalArgumentException("the URL has {length}, so there must be a length");
        }
        String joint = target.contains("?") ? "&" : "?";
        String whole = asksLength && !hasPlace ? target + joint + "length=" + PLACE : target;
        byte[] bytes = Call.of("GET", host, whole, Map.of(), new byte[0]).bytes();
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a request must be at most " + MAX_BYTES + " bytes, not " + bytes.length);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return new Question(
                Arrays.stream(text.split(Pattern.quote(PLACE), -1))
                        .map(part -> part.getBytes(StandardCharsets.UTF_8))
                        .toList());
    }

    /** Sends it, with {@code length} in its places. */
    void write(Connection connection, long length) {
        Chunk chunk = connection.reserve(most);
        chunk.put(parts.getFirst());
        for (int i = 1; i < parts.size(); i++) {
            chunk.putDecimal(length);
            chunk.put(parts.get(i));
        }
    }
}
