// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import io.sirocco.http.Monitor.CompletedRequest;
import io.sirocco.http.Monitor.RejectedRequest;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.ProxyOutcome;
import java.util.Optional;

/**
 * One JSON object a line, its members always in this order; those that have nothing to say are left
 * out. A text of the client has one character for each byte that came. Any thread.
 */
final class JsonLines implements LineFormat {

    @Override
    public void answered(CompletedRequest answered, Line line) {
        begin(line, answered.millis());
        text(line, ",\"id\":\"", answered.id());
        line.put(",\"remote\":\"").address(answered.remoteAddress()).put('"');
        if (!answered.remoteAddress().equals(answered.peerAddress())) {
            line.put(",\"peer\":\"").address(answered.peerAddress()).put('"');
        }
        if (answered.user().isPresent()) {
            text(line, ",\"user\":\"", answered.user().get());
        }
        sent(line, ",\"method\":\"", answered.method());
        line.put(answered.isSecure() ? ",\"scheme\":\"https\"" : ",\"scheme\":\"http\"");
        sent(line, ",\"host\":\"", answered.host());
        sent(line, ",\"target\":\"", answered.target());
        line.put(",\"version\":\"").put(answered.version());
        line.put("\",\"status\":").number(answered.status());
        line.put(",\"ms\":").millis(answered.nanos());
        line.put(",\"in\":").number(answered.bytesIn());
        line.put(",\"out\":").number(answered.bytesOut());
        if (!answered.route().isEmpty()) {
            text(line, ",\"route\":\"", answered.route());
        }
        sent(line, ",\"referer\":\"", answered.header("Referer"));
        sent(line, ",\"agent\":\"", answered.header("User-Agent"));
        if (answered.error().isPresent()) {
            text(line, ",\"rule\":\"", answered.error().get().name());
        } else if (answered.rejectedBy().isPresent()) {
            text(line, ",\"rule\":\"", answered.rejectedBy().get());
        }
        if (answered.attribute(Proxy.OUTCOME).orElse(null) instanceof ProxyOutcome outcome) {
            proxied(outcome, line);
        }
        line.put(answered.isComplete() ? "}\n" : ",\"cut\":true}\n");
    }

    private static void proxied(ProxyOutcome outcome, Line line) {
        if (outcome.server().isPresent()) {
            text(line, ",\"upstream\":\"", outcome.server().get());
            line.put(",\"attempts\":").number(outcome.attempts());
        }
        if (outcome.failure().isPresent()) {
            text(line, ",\"failure\":\"", outcome.failure().get());
        }
    }

    @Override
    public void rejected(RejectedRequest rejected, Line line) {
        begin(line, rejected.millis());
        text(line, ",\"id\":\"", rejected.id());
        line.put(",\"remote\":\"").address(rejected.remote()).put('"');
        if (!rejected.method().isEmpty()) {
            sent(line, ",\"method\":\"", rejected.method());
        }
        line.put(rejected.secure() ? ",\"scheme\":\"https\"" : ",\"scheme\":\"http\"");
        if (!rejected.target().isEmpty()) {
            sent(line, ",\"target\":\"", rejected.target());
        }
        line.put(",\"status\":").number(rejected.error().status());
        line.put(",\"out\":").number(rejected.bytesOut());
        text(line, ",\"rule\":\"", rejected.error().name());
        line.put("}\n");
    }

    @Override
    public void dropped(long lines, long millis, Line line) {
        begin(line, millis);
        line.put(",\"dropped\":").number(lines).put("}\n");
    }

    private static void begin(Line line, long millis) {
        line.put("{\"time\":\"").isoTime(millis).put('"');
    }

    /** A member; {@code name} is all that stands before its text. */
    private static void text(Line line, String name, String value) {
        line.put(name).json(value).put('"');
    }

    private static void sent(Line line, String name, String octets) {
        line.put(name).jsonOctets(octets).put('"');
    }

    private static void sent(Line line, String name, Optional<String> octets) {
        if (octets.isPresent()) {
            sent(line, name, octets.get());
        }
    }
}
