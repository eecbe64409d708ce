// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.live.broker.Position;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The id of an entry of the log: the server's time, and a number without a hole, so that whoever
 * reads sees what is missing. Immutable.
 */
record Offset(long millis, long number) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,15})-([0-9]{1,15})");

    static Optional<Offset> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(
                        new Offset(
                                Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }

    /** The number of an offset in a position; -1 when it is none. */
    static long number(String text) {
        return parse(text).map(Offset::number).orElse(-1L);
    }

    /** Of what the server has sent. */
    static Offset of(byte[] id) {
        String text = new String(id, US_ASCII);
        return parse(text).orElseThrow(() -> new IllegalStateException("no id of ours: " + text));
    }

    Position in(String epoch) {
        return new Position(epoch, toString());
    }

    @Override
    public String toString() {
        return millis + "-" + number;
    }
}
