// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.Headers;
import io.sirocco.http.Multipart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Any split of a body gives the same events, nothing is thrown, and limits hold. The first two
 * bytes of the input choose the splits, the rest is the body; its boundary is {@code b}, so that a
 * fuzzer meets it often.
 */
public final class MultipartFuzz {
    private static final Multipart.Limits LIMITS = new Multipart.Limits(8, 64, 32, 512);

    private MultipartFuzz() {}

    /** The entry that Jazzer calls. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length < 2) {
            return;
        }
        byte[] body = Arrays.copyOfRange(data, 2, data.length);
        List<String> whole = events(body, new Random(0), body.length + 1);
        var random = new Random(data[0] << 8 | data[1] & 0xff);
        for (int longest : new int[] {1, 3, 17}) {
            List<String> split = events(body, random, longest);
            if (!whole.equals(split)) {
                throw new AssertionError("Whole: " + whole + "\nSplit: " + split);
            }
        }
    }

    private static List<String> events(byte[] body, Random random, int longest) {
        var trace = new Trace();
        var parser = new MultipartParser("b", LIMITS, trace);
        for (int from = 0; from < body.length; ) {
            int to = Math.min(body.length, from + 1 + random.nextInt(longest));
            // A copy of just these bytes, so that reading beyond them shows.
            parser.feed(Arrays.copyOfRange(body, from, to), 0, to - from);
            from = to;
        }
        parser.close();
        if (!parser.done()) {
            throw new AssertionError("Neither end nor rejection: " + trace.events);
        }
        return trace.events;
    }

    private static final class Trace implements MultipartParser.Events {
        private final List<String> events = new ArrayList<>();
        private final List<Byte> data = new ArrayList<>();
        private int parts;

        @Override
        public void partStart(Headers headers) {
            if (++parts > LIMITS.parts()) {
                throw new AssertionError("Too many parts.");
            }
            data.clear();
            events.add("start " + headers);
        }

        @Override
        public void partData(byte[] bytes, int from, int to) {
            for (int i = from; i < to; i++) {
                data.add(bytes[i]);
            }
            if (data.size() > LIMITS.partBytes()) {
                throw new AssertionError("Too much data in a part.");
            }
        }

        @Override
        public void partEnd() {
            events.add("end of " + data);
        }

        @Override
        public void end() {
            events.add("end");
        }

        @Override
        public void rejected(MultipartRule rule) {
            events.add("rejected " + rule + " after " + data);
        }
    }
}
