// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.h1.Reading.Ending;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Holds the production parsers against {@link Reference}, and against themselves on other splits.
 */
final class Differential {

    /**
     * Beginnings of the rest of a stream, one of which makes something good of a good beginning.
     */
    private static final String[] RESTS = {
        "\r\n\r\n",
        "\n\r\n",
        "\r\nHost: a\r\n\r\n",
        "\nHost: a\r\n\r\n",
        ": a\r\n\r\n",
        ":a\r\nHost: a\r\n\r\n",
        " HTTP/1.1\r\nHost: a\r\n\r\n",
        "/ HTTP/1.1\r\nHost: a\r\n\r\n",
        " / HTTP/1.1\r\nHost: a\r\n\r\n",
        "1\r\nHost: a\r\n\r\n",
        "0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "00 HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\n0\r\n\r\n",
        "0\r\n\r\n",
        "a\r\n0\r\n\r\n",
        "\"\r\n0\r\n\r\n",
    };

    private Differential() {}

    /** Throws an error that shows the bytes when the two readers differ. */
    static void check(byte[] stream) {
        Reading expected = Reference.read(stream);
        Reading actual = Connection.read(stream);
        if (!actual.messages().equals(expected.messages())) {
            throw differ("messages", stream, expected, actual);
        }
        if (actual.ending() != expected.ending() && !rightlyEarly(stream, actual)) {
            throw differ("ending", stream, expected, actual);
        }
    }

    /** Throws an error when the reading depends on where the network split the bytes. */
    static void checkSplits(byte[] stream, int... ends) {
        Connection whole = Connection.of(stream);
        Connection split = Connection.of(stream, ends);
        if (!split.reading().equals(whole.reading()) || split.rule() != whole.rule()) {
            throw differ(
                    "split at " + Arrays.toString(ends) + ", " + whole.rule() + "/" + split.rule(),
                    stream,
                    whole.reading(),
                    split.reading());
        }
    }

    /** Byte by byte. */
    static void checkDribble(byte[] stream) {
        checkSplits(stream, IntStream.range(1, stream.length).toArray());
    }

    /** The reference waits for the end of a line; to reject before is right if no rest helps. */
    private static boolean rightlyEarly(byte[] stream, Reading actual) {
        if (actual.ending() != Ending.REJECTED) {
            return false;
        }
        for (String rest : RESTS) {
            byte[] tail = rest.getBytes(StandardCharsets.ISO_8859_1);
            byte[] all = Arrays.copyOf(stream, stream.length + tail.length);
            System.arraycopy(tail, 0, all, stream.length, tail.length);
            Reading later = Reference.read(all);
            if (later.messages().size() > actual.messages().size()) {
                return false;
            }
        }
        return true;
    }

    private static AssertionError differ(String what, byte[] stream, Reading a, Reading b) {
        return new AssertionError(
                what
                        + " of \""
                        + Wire.escaped(stream)
                        + "\"\n  expected "
                        + a
                        + "\n  actual   "
                        + b);
    }
}
