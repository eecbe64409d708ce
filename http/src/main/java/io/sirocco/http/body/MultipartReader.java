// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.Headers;
import io.sirocco.http.Multipart;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Queue;

/** Reads the events of a multipart body from a stream, a chunk at a time. One thread at a time. */
public final class MultipartReader {
    private static final int CHUNK = 16 << 10;

    public sealed interface Event {
        record Start(Headers headers) implements Event {}

        record Data(byte[] bytes, int from, int to) implements Event {}

        record End() implements Event {}

        record Done() implements Event {}

        record Rejected(MultipartRule rule) implements Event {}
    }

    private final InputStream in;
    private final MultipartParser parser;
    private final Queue<Event> events = new ArrayDeque<>();
    private final byte[] chunk = new byte[CHUNK];

    public MultipartReader(InputStream in, String boundary, Multipart.Limits limits) {
        this.in = in;
        this.parser = new MultipartParser(boundary, limits, new Queued());
    }

    /** Returns the next event, read from the stream when none is waiting. */
    public Event next() throws IOException {
        while (events.isEmpty()) {
            int count = in.read(chunk);
            if (count < 0) {
                parser.close();
            } else {
                parser.feed(chunk, 0, count);
            }
        }
        return events.remove();
    }

    /**
     * Keeps what one chunk holds; slices stay valid, for the next chunk waits until all are used.
     */
    private final class Queued implements MultipartParser.Events {
        @Override
        public void partStart(Headers headers) {
            events.add(new Event.Start(headers));
        }

        @Override
        public void partData(byte[] bytes, int from, int to) {
            events.add(new Event.Data(bytes, from, to));
        }

        @Override
        public void partEnd() {
            events.add(new Event.End());
        }

        @Override
        public void end() {
            events.add(new Event.Done());
        }

        @Override
        public void rejected(MultipartRule rule) {
            events.add(new Event.Rejected(rule));
        }
    }
}
