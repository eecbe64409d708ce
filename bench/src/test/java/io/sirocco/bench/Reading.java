// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Bytes of a server, given to an {@link AnswerReader} as a connection gives them: in pieces, what
 * was left over first, amid the remains of others. However they are cut, the same must come out.
 */
final class Reading {
    private static final int MARGIN = 32;

    private Reading() {}

    /** The bytes of a text block: its lines end with CRLF; ␊ stands for a bare LF, ␍ for a CR. */
    static byte[] bytes(String block) {
        return block.replace("\n", "\r\n")
                .replace('␊', '\n')
                .replace('␍', '\r')
                .getBytes(ISO_8859_1);
    }

    /**
     * The answers in {@code block}, as in {@code 200 stays, 404 closes, malformed}: whether the
     * connection stays open behind each, and what became of what follows the last. The server ends
     * its side behind the block.
     *
     * @param toHead which of the requests were HEAD; those behind them were not
     */
    static String of(String block, Boolean... toHead) {
        byte[] all = bytes(block);
        String whole = of(all, all.length, all.length, toHead);
        for (int cut = 1; cut < all.length; cut++) {
            assertEquals(whole, of(all, cut, all.length, toHead), "cut at " + cut);
        }
        assertEquals(whole, of(all, 1, 1, toHead), "byte by byte");
        return whole;
    }

    /** In pieces of {@code step} bytes, the first one of {@code first}. */
    static String of(byte[] all, int first, int step, Boolean... toHead) {
        var reader = new AnswerReader();
        var answers = new ArrayList<String>();
        begin(reader, answers, toHead);
        int used = 0; // of all
        int began = 0; // where the answer did
        for (int to = Math.min(first, all.length); ; to = Math.min(to + step, all.length)) {
            byte[] slab = slab(all, used, to);
            int p = MARGIN;
            int end = MARGIN + to - used;
            while (p < end) {
                int before = p;
                p = reader.read(slab, p, end);
                used += p - before;
                if (!reader.complete()) {
                    break;
                }
                assertEquals(used - began, reader.length(), "length of " + reader.status());
                began = used;
                answers.add(reader.status() + (reader.lasting() ? " stays" : " closes"));
                if (!reader.lasting()) {
                    return String.join(", ", answers) + (used < all.length ? ", more" : "");
                }
                begin(reader, answers, toHead);
            }
            if (reader.malformed()) {
                answers.add("malformed");
                return String.join(", ", answers);
            }
            if (to == all.length) {
                break;
            }
        }
        if (began < all.length) {
            boolean whole = reader.end();
            answers.add(whole ? reader.status() + " by the end" : "cut short");
            assertFalse(whole && reader.lasting(), "the server has ended its side");
        }
        return String.join(", ", answers);
    }

    private static void begin(AnswerReader reader, List<String> answers, Boolean... toHead) {
        reader.begin(answers.size() < toHead.length && toHead[answers.size()]);
    }

    /** What looks like the end of a head, or of a line, stands around the piece. */
    private static byte[] slab(byte[] all, int from, int to) {
        var slab = new byte[MARGIN + to - from + MARGIN];
        Arrays.fill(slab, (byte) '\n');
        System.arraycopy(all, from, slab, MARGIN, to - from);
        return slab;
    }
}
