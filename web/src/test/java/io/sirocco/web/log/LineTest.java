// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.time.ZoneOffset.UTC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.ObjectMapper;

/** What a line is made of, against parsers and formatters of others. */
class LineTest {
    private final ObjectMapper mapper = new ObjectMapper();

    private static String text(Consumer<Line> write) {
        var line = new Line();
        write.accept(line);
        return new String(line.bytes(), 0, line.length(), US_ASCII);
    }

    private static String random(Random random, int highest) {
        return random.ints(random.nextInt(200), 0, highest)
                .collect(StringBuilder::new, (b, c) -> b.append((char) c), StringBuilder::append)
                .toString();
    }

    @Test
    void anyTextComesBackFromJsonAsItWas() {
        var random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String hostile = random(random, i % 2 == 0 ? 256 : 0xD800);
            String json = text(line -> line.put('"').json(hostile).put('"'));
            assertTrue(json.chars().allMatch(c -> c >= 0x20 && c < 0x7F), json);
            assertEquals(hostile, mapper.readValue(json, String.class));
            if (i % 2 == 0) {
                assertEquals(json, text(line -> line.put('"').jsonOctets(hostile).put('"')));
            }
        }
    }

    @Test
    void eachByteIsEscapedOrNotWhereverItStands() {
        for (char c = 0; c < 256; c++) {
            for (int at = 0; at < 17; at++) {
                String text = "a".repeat(at) + c + "a".repeat(16 - at);
                assertEquals(text(line -> line.json(text)), text(line -> line.jsonOctets(text)));
            }
        }
    }

    @Test
    void anyTextStaysBetweenItsQuotationMarksInTheCombinedFormat() {
        var random = new Random(8);
        for (int i = 0; i < 20_000; i++) {
            String hostile = random(random, 256);
            String escaped = text(line -> line.escaped(hostile));
            assertTrue(escaped.chars().allMatch(c -> c >= 0x20 && c < 0x7F && c != '"'), escaped);
            assertEquals(hostile, unescaped(escaped));
        }
    }

    private static String unescaped(String text) {
        var plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                assertEquals('x', text.charAt(i + 1));
                plain.append((char) Integer.parseInt(text, i + 2, i + 4, 16));
                i += 3;
            } else {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }

    @Test
    void aTextThatIsTooLongIsCut() {
        String cut = "x".repeat(Line.LONGEST_TEXT) + "...";
        assertEquals(cut, text(line -> line.json("x".repeat(10_000))));
        assertEquals(cut, text(line -> line.escaped("x".repeat(10_000))));
        String most = "x".repeat(Line.LONGEST_TEXT);
        assertEquals(most, text(line -> line.json(most)));
    }

    @Test
    void momentsAreThoseOfTheCalendar() {
        var iso = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(UTC);
        var common =
                DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss +0000", Locale.ENGLISH)
                        .withZone(UTC);
        var random = new Random(9);
        long last = Instant.parse("2400-12-31T23:59:59.999Z").toEpochMilli();
        for (int i = 0; i < 20_000; i++) {
            long millis = i == 0 ? 0 : i == 1 ? last : random.nextLong(last);
            Instant moment = Instant.ofEpochMilli(millis);
            assertEquals(iso.format(moment), text(line -> line.isoTime(millis)));
            assertEquals(common.format(moment), text(line -> line.commonTime(millis)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.255, 192.0.2.255",
        "0.0.0.0, 0.0.0.0",
        "::, ::",
        "::1, ::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "fe80:0:0:0:0:0:0:0, fe80::",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
    })
    void addressesAreWrittenInTheirShortForm(String address, String written) throws Exception {
        var remote = new InetSocketAddress(InetAddress.getByName(address), 80);
        assertEquals(written, text(line -> line.address(remote)));
    }

    @Test
    void aPeerOfAUnixSocketHasNoAddress() {
        assertEquals("unix", text(line -> line.address(UnixDomainSocketAddress.of(""))));
    }

    @Test
    void numbersAreWrittenAsTheyAre() {
        for (long n : new long[] {0, 7, 10, 99, 100, 1L << 40, Long.MAX_VALUE, -1}) {
            assertEquals(Long.toString(n), text(line -> line.number(n)));
        }
        assertEquals("0.000", text(line -> line.millis(999)));
        assertEquals("12.034", text(line -> line.millis(12_034_567)));
    }
}
