// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptEncodingTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip                     | 1000",
                "gzip;q=1                 | 1000",
                "gzip;q=1.000             | 1000",
                "gzip;q=0                 | 0",
                "gzip;q=0.000             | 0",
                "gzip;q=0.5               | 500",
                "gzip;q=0.05              | 50",
                "gzip;q=0.005             | 5",
                "gzip; q=0.5              | 500",
                "gzip ; Q=0.5             | 500",
                "\tgzip\t;\tq=0.5\t       | 500",
                "br, gzip;q=0.2           | 200",
                "br,,gzip;q=0.2,          | 200",
                "x-gzip                   | 1000",
                "*;q=0.3                  | 300",
                "*;q=0.3, gzip;q=0        | 0",
                "*                        | 1000",
                "gzip;q=1.001             | 0",
                "gzip;q=2                 | 0",
                "gzip;q=-1                | 0",
                "gzip;q=0.1234            | 0",
                "gzip;q=                  | 0",
                "gzip;q                   | 0",
                "gzip;level=9             | 0",
                "gzipped                  | 0",
                "deflate                  | 0",
                "''                       | 0",
            })
    void theWeightOfGzip(String field, int weight) {
        assertEquals(weight, AcceptEncoding.of(field).weight(Coding.GZIP), field);
    }

    @Test
    void withoutTheFieldNothingIsCompressed() {
        assertEquals(Optional.empty(), AcceptEncoding.of(null).best(List.of(Coding.values())));
        assertTrue(AcceptEncoding.of(null).takesIdentity());
    }

    @Test
    void whoTakesWhatIsNotCompressed() {
        assertTrue(AcceptEncoding.of("gzip").takesIdentity());
        assertTrue(AcceptEncoding.of("*").takesIdentity());
        assertTrue(AcceptEncoding.of("*;q=0, identity;q=0.1").takesIdentity());
        assertFalse(AcceptEncoding.of("identity;q=0").takesIdentity());
        assertFalse(AcceptEncoding.of("*;q=0").takesIdentity());
    }

    @Test
    void whateverStandsInTheField() {
        var random = new Random(7);
        String alphabet = "gzipbrstd,;=q01. \t*-";
        for (int i = 0; i < 20_000; i++) {
            var field = new StringBuilder();
            for (int n = random.nextInt(24); n > 0; n--) {
                field.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            var accepted = AcceptEncoding.of(field.toString());
            int weight = accepted.weight(Coding.BROTLI);
            assertTrue(weight >= 0 && weight <= 1000, field.toString());
        }
    }

    @Test
    void typesOfLists() {
        TypeList types = TypeList.of(List.of("text/*", "Application/JSON"));
        assertTrue(types.has("text/html; charset=utf-8"));
        assertTrue(types.has("application/json"));
        assertTrue(types.has("TEXT/plain"));
        assertFalse(types.has("application/jsonp"));
        assertFalse(types.has(""));
        assertFalse(types.has("text"));
        assertTrue(TypeList.of(List.of("*/*")).has("image/png"));
        assertThrows(IllegalArgumentException.class, () -> TypeList.of(List.of("html")));
    }
}
