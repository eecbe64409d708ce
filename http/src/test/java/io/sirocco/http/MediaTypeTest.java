// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MediaTypeTest {

    private static MediaType type(String text) {
        return MediaType.parse(text).orElseThrow();
    }

    @Test
    void namesAreFoldedAndValuesAreNot() {
        var type = type("Text/HTML; Charset=UTF-8; X=Yz");
        assertEquals("text/html", type.essence());
        assertEquals(Optional.of(UTF_8), type.charset());
        assertEquals(Optional.of("Yz"), type.parameter("x"));
    }

    /** Qurricane answered 503 to a plain {@code curl -d}, which sends no charset. */
    @Test
    void aMissingCharsetIsNoError() {
        var type = type("application/x-www-form-urlencoded");
        assertEquals(Optional.empty(), type.charset());
        assertEquals(ISO_8859_1, type.charset(ISO_8859_1));
    }

    /** Qurricane answered 503 when a parameter followed the charset. */
    @Test
    void parametersMayFollowTheCharset() {
        assertEquals(
                Optional.of(ISO_8859_1),
                type("text/plain; charset=iso-8859-1; format=flowed").charset());
    }

    @Test
    void quotedValuesMayHoldAnything() {
        var type = type("a/b; x=\"c;d=\\\"e\\\\\\f\" ; charset = \"utf-8\"");
        assertEquals(Optional.of("c;d=\"e\\f"), type.parameter("x"));
        assertEquals(Optional.of(UTF_8), type.charset());
    }

    @Test
    void oddParametersAreSkippedAndTheFirstOfTwoWins() {
        assertEquals("{x=1, y=}", type("a/b;;=;=3;q; x=1;x=2;z w=4;y=").parameters().toString());
        assertEquals(Optional.of("open"), type("a/b; x=\"open").parameter("x"));
        assertEquals(Optional.of("a"), type("a/b; x=\"a\"trash; y=1").parameter("x"));
        assertEquals(Optional.of("1"), type("a/b; x=\"a\"trash; y=1").parameter("y"));
    }

    @Test
    void anUnknownOrIllegalCharsetIsNone() {
        for (String name : List.of("klingon", "", "\"\"", "a b", "ż", "=")) {
            assertEquals(Optional.empty(), type("text/plain; charset=" + name).charset(), name);
        }
    }

    @Test
    void whatIsNoTypeIsEmpty() {
        for (String bad :
                List.of("", ";", "text", "text/", "/html", "a b/c", "a/b/c", "ż/a", "=")) {
            assertEquals(Optional.empty(), MediaType.parse(bad), bad);
        }
    }

    @Test
    void theBoundaryMustBeAValidOne() {
        assertEquals(Optional.of("a b"), type("multipart/form-data; boundary=\"a b\"").boundary());
        for (String bad : List.of("", "\"a \"", "x".repeat(71), "\"a\\\\b\"", "ż", "a;b\"")) {
            var boundary = type("multipart/form-data; boundary=" + bad).boundary();
            assertEquals(bad.equals("a;b\"") ? Optional.of("a") : Optional.empty(), boundary, bad);
        }
    }

    @Test
    void noInputMakesTheParserFail() {
        var random = new Random(7);
        String alphabet = "a/;=\"\\ \tcharset=ż";
        for (int i = 0; i < 20_000; i++) {
            var text = new StringBuilder("a/b");
            for (int n = random.nextInt(12); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            MediaType.parse(text.toString())
                    .ifPresent(type -> assertEquals(Optional.of(type), MediaType.parse(type + "")));
        }
    }

    @Test
    void extensionsHaveTypes() {
        assertEquals("text/html; charset=utf-8", MimeTypes.of("/a.b/INDEX.HTML"));
        assertEquals("image/svg+xml", MimeTypes.of("logo.svg"));
        assertEquals("application/gzip", MimeTypes.of("x.tar.gz"));
        for (String unknown : List.of("", "a", "a.", "a.b/c", "a.nonsense", ".")) {
            assertEquals(MimeTypes.UNKNOWN, MimeTypes.of(unknown), unknown);
        }
    }

    @Test
    void commonTypesAreThoseOfTheTable() {
        int common = 0;
        for (var each : MimeTypes.Table.BY_EXTENSION.entrySet()) {
            String type = MimeTypes.common(each.getKey());
            if (type != null) {
                assertEquals(each.getValue(), type, each.getKey());
                common++;
            }
        }
        assertEquals(14, common);
    }

    @Test
    void reasonsAreThoseOfTheRegistry() {
        assertEquals("OK", Status.reason(200));
        assertEquals("Content Too Large", Status.reason(413));
        assertEquals("Network Authentication Required", Status.reason(511));
        for (int unknown : new int[] {-1, 0, 299, 306, 418, 599, 600, Integer.MAX_VALUE}) {
            assertEquals("", Status.reason(unknown));
        }
    }
}
