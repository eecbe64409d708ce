// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is no answer of HTTP/1 is said at once, and not waited for. */
class MalformedAnswersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "no",
                "\n",
                "\nHTTP/1.1 200 OK\n\n",
                " HTTP/1.1 200 OK\n\n",
                "http/1.1 200 OK\n\n",
                "HTTP/2 200\n\n",
                "HTTP/2.0 200 OK\n\n",
                "HTTP/1.x 200 OK\n\n",
                "HTTP/1.11 200 OK\n\n",
                "HTTP/1.1  200 OK\n\n",
                "HTTP/1.1\t200 OK\n\n",
                "HTTP/1.1 20",
                "HTTP/1.1 20\n\n",
                "HTTP/1.1 2000 OK\n\n",
                "HTTP/1.1 200OK\n\n",
                "HTTP/1.1 099 OK\n\n",
                "HTTP/1.1 2x0 OK\n\n",
                "HTTP/1.1 -20 OK\n\n",
                "SSH-2.0-OpenSSH_9.2\n",
                "\u0015\u0003\u0001\u0000\u0002\u0002\u0016"
            })
    void aStatusLine(String text) {
        String expected = text.equals("HTTP/1.1 20") ? "cut short" : "malformed";
        assertEquals(expected, Reading.of(text));
    }

    /** Less than the shortest head, and a reader that waits for more would wait for long. */
    @Test
    void isSaidAsSoonAsItCanBeSeen() {
        for (String text : new String[] {"x", "HTTX", "HTTP/1.1 x"}) {
            var reader = new AnswerReader();
            reader.begin(false);
            byte[] bytes = text.getBytes(ISO_8859_1);
            reader.read(bytes, 0, bytes.length);
            assertTrue(reader.malformed(), text);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "x\n",
                "-1\nhello\n0\n\n",
                "5 5\nhello\nx\n0\n\n",
                "0x5\nhello\n0\n\n",
                ";a\n\n",
                "10000000000000000\nhello",
                "5\nhello0\n\n",
                "5\nhelloX\n0\n\n",
                "5\nhello!!\n0\n\n",
                "5␍5\nhello\n0\n\n",
                "5\nhello␍␍␊0\n\n",
                "5\nhello\n␍x0\n\n"
            })
    void aChunk(String chunks) {
        String head = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n";
        assertEquals("malformed", Reading.of(head + chunks));
        String good = "HTTP/1.1 200 OK\nContent-Length: 0\n\n";
        assertEquals("200 stays, malformed", Reading.of(good + head + chunks));
    }

    @Test
    void aHeadThatIsTooLong() {
        String start = "HTTP/1.1 200 OK\nContent-Length: 0\nX: ";
        int most = AnswerHead.MAX - Reading.bytes(start + "\n\n").length;
        for (int step : new int[] {1 << 20, 1460, 16 << 10}) {
            byte[] longest = Reading.bytes(start + "x".repeat(most) + "\n\n");
            assertEquals("200 stays", Reading.of(longest, longest.length % step + step, step));
            byte[] over = Reading.bytes(start + "x".repeat(most + 1) + "\n\n");
            assertEquals("malformed", Reading.of(over, step, step), "in steps of " + step);
            byte[] endless = Reading.bytes(start + "x".repeat(1 << 17));
            assertEquals("malformed", Reading.of(endless, step, step), "in steps of " + step);
        }
    }

    /** Whatever comes, it is read without harm, up to its end, and cuts make no difference. */
    @Test
    void anyBytes() {
        var random = new Random(1);
        String[] words = {
            "HTTP/1.1 200 OK", "HTTP/1.0 304 ", "\n", "\n\n", "␊", "␍", "Content-Length: 3", ":",
            "Transfer-Encoding: chunked", "Connection: close", "0", "5", "a", ";", " ", "\n0\n\n",
            "HTTP/1.1 100 \n\n", "\u0000", "\u00ff", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"
        };
        for (int i = 0; i < 3_000; i++) {
            var text = new StringBuilder(random.nextBoolean() ? "HTTP/1.1 200 OK\n" : "");
            for (int n = random.nextInt(12); n > 0; n--) {
                text.append(words[random.nextInt(words.length)]);
            }
            Reading.of(text.toString());
        }
    }
}
