// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import io.sirocco.http.Monitor.CompletedRequest;
import io.sirocco.http.Monitor.RejectedRequest;
import java.util.Optional;

/**
 * The format that Apache and nginx call {@code combined}, escaped as nginx does it:
 *
 * <pre>
 * 192.0.2.7 - ann [22/Nov/2026:02:40:38 +0000] "GET /a?b HTTP/1.1" 200 512 "https://x.test/" "curl/8"
 * </pre>
 *
 * <p>The request line of a refused head is what was read of it, or {@code -}; where it was refused
 * by a rule, the rule stands in the place of the user agent. Any thread.
 */
final class CombinedLines implements LineFormat {

    @Override
    public void answered(CompletedRequest answered, Line line) {
        line.address(answered.remoteAddress()).put(" - ");
        user(answered.user(), line);
        line.put(" [").commonTime(answered.millis()).put("] \"");
        line.escaped(answered.method()).put(' ').escaped(answered.target());
        line.put(' ').put(answered.version()).put("\" ");
        line.number(answered.status()).put(' ').number(answered.bytesOut());
        quoted(answered.header("Referer"), line);
        quoted(answered.header("User-Agent"), line);
        line.put('\n');
    }

    @Override
    public void rejected(RejectedRequest rejected, Line line) {
        line.address(rejected.remote()).put(" - - [").commonTime(rejected.millis()).put("] \"");
        line.escaped(rejected.method().isEmpty() ? "-" : rejected.method());
        if (!rejected.target().isEmpty()) {
            line.put(' ').escaped(rejected.target());
        }
        line.put("\" ").number(rejected.error().status()).put(' ').number(rejected.bytesOut());
        line.put(" \"-\" \"").put(rejected.error().name()).put("\"\n");
    }

    @Override
    public void dropped(long lines, long millis, Line line) {
        line.put("- - - [").commonTime(millis).put("] \"-\" 0 0 \"-\" \"").number(lines);
        line.put(" lines dropped\"\n");
    }

    /** A blank would end it. */
    private static void user(Optional<String> user, Line line) {
        if (user.isEmpty() || user.get().isEmpty()) {
            line.put('-');
        } else {
            line.escaped(user.get().replace(' ', '_'));
        }
    }

    private static void quoted(Optional<String> value, Line line) {
        line.put(" \"");
        if (value.isPresent()) {
            line.escaped(value.get());
        } else {
            line.put('-');
        }
        line.put('"');
    }
}
