// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compression, and what is agreed on about it. */
final class DeflationTest {
    private static final byte[] TEXT = "A warm wind from the south. ".repeat(3_000).getBytes(UTF_8);

    private static byte[] inflated(Inflater inflater, byte[] message) throws Exception {
        byte[] whole = Arrays.copyOf(message, message.length + 4);
        whole[message.length + 2] = whole[message.length + 3] = (byte) 0xff;
        inflater.setInput(whole);
        byte[] out = new byte[1 << 20];
        return Arrays.copyOf(out, inflater.inflate(out));
    }

    @Test
    void aMessageComesBack() throws Exception {
        byte[] small = Deflation.deflate(TEXT, 15);
        assertTrue(small.length < TEXT.length / 50, small.length + " bytes");
        assertArrayEquals(TEXT, inflated(new Inflater(true), small));
    }

    @Test
    void aContextMakesTheSecondMessageSmaller() throws Exception {
        byte[] noise = new byte[2_000];
        new Random(1).nextBytes(noise);
        var deflation = new Deflation(15);
        var inflater = new Inflater(true);
        byte[] first = deflation.deflate(noise);
        byte[] second = deflation.deflate(noise);
        assertTrue(second.length < first.length / 10, first.length + ", " + second.length);
        assertArrayEquals(noise, inflated(inflater, first));
        assertArrayEquals(noise, inflated(inflater, second));
        deflation.end();
        inflater.end();
    }

    /** Noise that repeats after more than the window finds no match, however alike it is. */
    @ParameterizedTest
    @ValueSource(ints = {8, 9, 12, 14})
    void aSmallWindowIsKeptTo(int bits) throws Exception {
        byte[] noise = new byte[1 << bits];
        new Random(1).nextBytes(noise);
        byte[] twice = Arrays.copyOf(noise, 2 * noise.length);
        System.arraycopy(noise, 0, twice, noise.length, noise.length);
        byte[] small = Deflation.deflate(twice, bits);
        assertTrue(small.length > twice.length * 9 / 10, small.length + " of " + twice.length);
        assertArrayEquals(twice, inflated(new Inflater(true), small));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; client_max_window_bits | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_max_window_bits=9 | permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9",
                "permessage-deflate; server_max_window_bits=\"10\" | permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10",
                "x-webkit-deflate-frame, permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_max_window_bits=16, permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_max_window_bits=7 | -",
                "permessage-deflate; server_max_window_bits=08 | -",
                "permessage-deflate; server_max_window_bits | -",
                "permessage-deflate; client_max_window_bits=16 | -",
                "permessage-deflate; server_no_context_takeover=1 | -",
                "permessage-deflate; server_no_context_takeover; server_no_context_takeover | -",
                "permessage-deflate; unknown | -",
                "permessage-bzip2 | -",
                "'' | -",
            })
    void offersAreAcceptedOrDeclined(String offers, String answer) {
        assertEquals(
                answer, Offers.accept(offers, false, false).map(Object::toString).orElse(null));
    }

    @Test
    void aClientMayForbidAContext() {
        assertEquals(
                "permessage-deflate",
                Offers.accept("permessage-deflate", true, true).orElseThrow().toString());
        assertEquals(
                "permessage-deflate; server_no_context_takeover",
                Offers.accept("permessage-deflate; server_no_context_takeover", true, true)
                        .orElseThrow()
                        .toString());
    }

    @ParameterizedTest
    @CsvSource({
        "dGhlIHNhbXBsZSBub25jZQ==, true",
        "AAAAAAAAAAAAAAAAAAAAAA==, true",
        "dGhlIHNhbXBsZSBub25jZQ=, false",
        "dGhlIHNhbXBsZSBub25jZQ, false",
        "dGhlIHNhbXBsZSBub25jZQA=, false",
        "dGhlIHNhbXBsZSBub25j-Q==, false",
        "'', false",
    })
    void aKeyIsSixteenBytes(String key, boolean good) {
        assertEquals(good, Opening.isKey(key));
    }

    /** RFC 6455 1.3. */
    @Test
    void aKeyIsAnswered() {
        assertEquals("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", Opening.accept("dGhlIHNhbXBsZSBub25jZQ=="));
    }
}
