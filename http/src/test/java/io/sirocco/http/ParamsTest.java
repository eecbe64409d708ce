// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ParamsTest {

    @Test
    void pairsKeepTheirOrderAndRepetitions() {
        var params = Params.of("b=1&a=2&b=3");
        assertEquals(Map.of("b", List.of("1", "3"), "a", List.of("2")), params.asMap());
        assertEquals(List.of("b", "a"), List.copyOf(params.asMap().keySet()));
        assertEquals(List.of("1", "3"), params.all("b"));
        assertEquals(Optional.of("1"), params.first("b"));
        assertEquals(3, params.size());
    }

    @Test
    void absentNamesAreEmptyNotNull() {
        assertEquals(Optional.empty(), Params.of("a=1").first("A"));
        assertEquals("x", Params.empty().first("a", "x"));
        assertEquals(List.of(), Params.empty().all("a"));
        assertEquals(0, Params.of("").size());
    }

    @Test
    void emptyPairsAreSkippedAndTheFirstEqualsSplits() {
        assertEquals("{a=[b=c, ], =[x]}", Params.of("&&a=b=c&a&=x&").toString());
    }

    @Test
    void plusIsASpaceAndPercentIsDecodedOnce() {
        assertEquals("{a b=[c+d%20]}", Params.of("a+b=c%2Bd%2520").toString());
        assertEquals("{ż=[&=]}", Params.of("%C5%BC=%26%3D").toString());
        assertEquals("{ż=[ż]}", Params.of("ż=%C5%BC").toString());
        assertEquals("{a=[\ufffd]}", Params.of("a=%ff").toString());
    }

    @Test
    void aMalformedPercentIsABadRequestAtEveryPlace() {
        for (String bad : List.of("%", "%4", "%g1", "%1g", "%%41", "a=%", "a=1&b=%f", "%4=1")) {
            var params = Params.of(bad);
            assertEquals(400, assertThrows(BadRequest.class, params::size).status());
        }
    }

    @Test
    void aTripletCutAnywhereIsABadRequest() {
        String whole = "a=%C5%BC%20b";
        for (int i = 0; i <= whole.length(); i++) {
            String cut = whole.substring(0, i);
            boolean inside = List.of(3, 4, 6, 7, 9, 10).contains(i);
            if (inside) {
                assertThrows(BadRequest.class, Params.of(cut)::size, cut);
            } else {
                assertEquals(Math.min(i, 1), Params.of(cut).size(), cut);
            }
        }
    }

    @Test
    void theMessageDoesNotRepeatTheRequest() {
        var params = Params.of("<script>=%zz");
        String message = assertThrows(BadRequest.class, params::size).getMessage();
        assertEquals("A '%' must be followed by two hexadecimal digits.", message);
    }

    @Test
    void tooManyPairsAreABadRequest() {
        assertEquals(1_000, Params.of("a&".repeat(1_000)).size());
        var params = Params.of("a&".repeat(1_001));
        assertThrows(BadRequest.class, params::size);
        assertEquals(1, Params.of("&&&a&&", 1).size());
    }

    @Test
    void percentRoundTrips() {
        String text = "a b/ż?%&=+\u0000\"~😀";
        assertEquals(text, Percent.decode(Percent.encode(text)));
        assertEquals("a%20b%2F%C5%BC", Percent.encode("a b/ż"));
        assertEquals("/a%20b/%C5%BC", Percent.encodePath("/a b/ż"));
        assertTrue(Percent.decode("a+b").contains("+"));
    }
}
