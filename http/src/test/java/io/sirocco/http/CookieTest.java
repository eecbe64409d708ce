// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sirocco.http.Cookie.SameSite;
import io.sirocco.http.message.Cookies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CookieTest {

    @Test
    void aFieldIsReadLeniently() {
        assertEquals("{a=1, b=2}", Cookies.parse(List.of("a=1; b=2")).toString());
        assertEquals(
                "{a=1, b=x=y}", Cookies.parse(List.of(";;a = 1 ;nonsense; =5;b=x=y;")).toString());
        assertEquals("{a=q, b=\", c=}", Cookies.parse(List.of("a=\"q\"; b=\"; c=")).toString());
        assertEquals("{}", Cookies.parse(List.of("")).toString());
        assertEquals("{a=%20}", Cookies.parse(List.of("a=%20")).toString());
    }

    @Test
    void theFirstOfTwoWithOneNameWins() {
        assertEquals("{a=1}", Cookies.parse(List.of("a=1; a=2")).toString());
    }

    @Test
    void readingTakesTimeInProportionToTheField() {
        String field = "a;".repeat(500_000);
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> Cookies.parse(List.of(field)));
    }

    @Test
    void whatIsReadCannotBeChanged() {
        var cookies = Cookies.parse(List.of("a=1"));
        assertThrows(UnsupportedOperationException.class, () -> cookies.put("b", "2"));
    }

    @Test
    void theDefaultsAreSafe() {
        assertEquals("sid=31d4; Path=/; HttpOnly; SameSite=Lax", Cookie.of("sid", "31d4").encode());
    }

    @Test
    void everyAttributeIsWritten() {
        var cookie =
                Cookie.of("a", "b")
                        .withDomain("example.com")
                        .withPath("/x")
                        .withMaxAge(Duration.ofHours(1))
                        .withExpires(Instant.ofEpochSecond(784_111_777))
                        .withHttpOnly(false)
                        .withSameSite(SameSite.NONE)
                        .withPartitioned(true);
        assertEquals(
                "a=b; Max-Age=3600; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Domain=example.com;"
                        + " Path=/x; Secure; SameSite=None; Partitioned",
                cookie.encode());
        assertEquals(
                "a=b; Secure",
                Cookie.of("a", "b")
                        .withPath("")
                        .withHttpOnly(false)
                        .withSecure(true)
                        .withSameSite(SameSite.UNSET)
                        .encode());
    }

    @Test
    void deletingEndsItsLifeTwice() {
        assertEquals(
                "a=; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; HttpOnly;"
                        + " SameSite=Lax",
                Cookie.delete("a").encode());
    }

    @Test
    void nothingThatSplitsTheHeaderGetsIn() {
        for (String bad :
                List.of("a\r\nSet-Cookie: x=y", "a;b", "a b", "a,b", "\"a\"", "ż", "a\0")) {
            assertThrows(IllegalArgumentException.class, () -> Cookie.of("a", bad), bad);
            assertThrows(IllegalArgumentException.class, () -> Cookie.of(bad, "a"), bad);
        }
        var cookie = Cookie.of("a", "b");
        for (String bad : List.of("/a;b", "/a\r\n", "a", "/ż", "/\0")) {
            assertThrows(IllegalArgumentException.class, () -> cookie.withPath(bad), bad);
        }
        for (String bad : List.of("a;b", "a\n", "http://a", "ż.pl")) {
            assertThrows(IllegalArgumentException.class, () -> cookie.withDomain(bad), bad);
        }
        assertThrows(IllegalArgumentException.class, () -> Cookie.of("", "b"));
    }

    @Test
    void prefixesKeepTheirPromise() {
        var host = Cookie.of("__Host-id", "1");
        assertEquals("__Host-id=1; Path=/; Secure; HttpOnly; SameSite=Lax", host.encode());
        assertThrows(IllegalArgumentException.class, () -> host.withSecure(false));
        assertThrows(IllegalArgumentException.class, () -> host.withPath("/a"));
        assertThrows(IllegalArgumentException.class, () -> host.withDomain("a.example"));
        var secure = Cookie.of("__secure-id", "1").withDomain("a.example");
        assertThrows(IllegalArgumentException.class, () -> secure.withSecure(false));
    }

    @Test
    void sameSiteNoneAndPartitionedStaySecure() {
        var none = Cookie.of("a", "b").withSameSite(SameSite.NONE);
        assertThrows(IllegalArgumentException.class, () -> none.withSecure(false));
        var partitioned = Cookie.of("a", "b").withPartitioned(true);
        assertThrows(IllegalArgumentException.class, () -> partitioned.withSecure(false));
    }
}
