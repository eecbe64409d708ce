// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Sends server-sent events (HTML Living Standard 9.2). Each event is sent at once. Methods block
 * while the client is slower than the sender, and throw an {@link IOException} once the client has
 * disconnected. A quiet stream notices this only at its next send, so send a {@link #comment} now
 * and then.
 *
 * <p>Any thread, several at once: each event arrives whole, and those of one thread in their order.
 * A thread waits while another one sends to a slow client.
 */
public final class SseSink {
    private static final Pattern LINE_END = Pattern.compile("\r\n|\r|\n");

    private final OutputStream out;

    SseSink(OutputStream out) {
        this.out = out;
    }

    /**
     * Sends an event without a name, which browsers dispatch as {@code message}. Data of several
     * lines arrives as it is.
     */
    public void send(String data) throws IOException {
        put(new StringBuilder(), data);
    }

    /**
     * Sends an event with a name.
     *
     * @throws IllegalArgumentException if the name contains a line break or NUL
     */
    public void send(String event, String data) throws IOException {
        put(field("event", event), data);
    }

    /**
     * Sends an event with a name and an id. A browser sends the last id as {@code Last-Event-ID}
     * when it reconnects.
     *
     * @throws IllegalArgumentException if the name or id contains a line break or NUL
     */
    public void send(String event, String id, String data) throws IOException {
        put(field("event", event).append(field("id", id)), data);
    }

    /** Sends a comment, which clients ignore. Prevents proxies from closing a quiet stream. */
    public void comment(String text) throws IOException {
        flush(lines(new StringBuilder(), "", text).append('\n'));
    }

    /** Sets how long the client waits before it reconnects, in whole milliseconds. */
    public void retry(Duration delay) throws IOException {
        flush(field("retry", Long.toString(delay.toMillis())).append('\n'));
    }

    private void put(StringBuilder text, String data) throws IOException {
        flush(lines(text, "data", data).append('\n'));
    }

    private static StringBuilder field(String name, String value) {
        if (value.indexOf('\n') >= 0 || value.indexOf('\r') >= 0 || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "The " + name + " of an event must be one line of text.");
        }
        return new StringBuilder().append(name).append(": ").append(value).append('\n');
    }

    private static StringBuilder lines(StringBuilder text, String name, String value) {
        for (String line : LINE_END.split(value, -1)) {
            text.append(name).append(": ").append(line).append('\n');
        }
        return text;
    }

    private void flush(StringBuilder text) throws IOException {
        out.write(text.toString().getBytes(UTF_8));
        out.flush();
    }
}
