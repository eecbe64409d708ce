// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.http.TrustedProxies;
import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.http.h1.Head;
import io.sirocco.http.h1.Parsed;
import io.sirocco.http.message.HeadLimits;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What trusted proxies say, and what clients would have them say. Here 10.0.0.0/8 is trusted. */
class ForwardedTest {
    private static final SocketAddress PEER = new InetSocketAddress("10.0.0.1", 4711);
    private static final Predicate<SocketAddress> TRUSTED =
            address ->
                    address instanceof InetSocketAddress inet
                            && inet.getAddress().getHostAddress().startsWith("10.");
    private static final TrustedProxies STANDARD = TrustedProxies.of(TRUSTED, Field.FORWARDED);
    private static final TrustedProxies OTHERS =
            TrustedProxies.of(
                    TRUSTED,
                    Field.X_FORWARDED_FOR,
                    Field.X_FORWARDED_PROTO,
                    Field.X_FORWARDED_HOST);

    /** Fields are parted by a vertical bar. */
    private static Forwarded read(TrustedProxies proxies, String fields)
            throws Forwarded.Malformed {
        String lines = fields.isEmpty() ? "" : fields.replace("|", "\r\n") + "\r\n";
        byte[] bytes = ("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n").getBytes(ISO_8859_1);
        var head = new Head();
        assertEquals(Parsed.COMPLETE, head.parse(bytes, 0, bytes.length, HeadLimits.DEFAULT));
        return Forwarded.read(proxies, PEER, head);
    }

    private static String client(Forwarded forwarded) {
        var inet = (InetSocketAddress) forwarded.client();
        return inet.getAddress().getHostAddress() + " " + inet.getPort();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "``; 10.0.0.1 4711",
                "X-Forwarded-For: 192.0.2.7; 192.0.2.7 0",
                "X-Forwarded-For: 192.0.2.7:1234; 192.0.2.7 1234",
                "X-Forwarded-For: 2001:db8::7; 2001:db8:0:0:0:0:0:7 0",
                "X-Forwarded-For: [2001:db8::7]; 2001:db8:0:0:0:0:0:7 0",
                "X-Forwarded-For: [2001:db8::7]:1234; 2001:db8:0:0:0:0:0:7 1234",
                "X-Forwarded-For: ::ffff:192.0.2.7; 192.0.2.7 0",
                // what a client sent stands to the left of what our proxy added
                "X-Forwarded-For: 127.0.0.1, 192.0.2.7; 192.0.2.7 0",
                "X-Forwarded-For: 10.0.0.9, 192.0.2.7; 192.0.2.7 0",
                "X-Forwarded-For: junk, \", 192.0.2.7; 192.0.2.7 0",
                "X-Forwarded-For: 127.0.0.1|X-Forwarded-For: 192.0.2.7; 192.0.2.7 0",
                "X-Forwarded-For: 192.0.2.8|x-forwarded-for: 192.0.2.7, 10.0.0.2; 192.0.2.7 0",
                // over all that are trusted
                "X-Forwarded-For: 192.0.2.7, 10.0.0.3, 10.0.0.2; 192.0.2.7 0",
                "X-Forwarded-For: 127.0.0.1, 192.0.2.7, 10.0.0.2; 192.0.2.7 0",
                "X-Forwarded-For: 10.0.0.3, 10.0.0.2; 10.0.0.3 0",
                "X-Forwarded-For: ,, 192.0.2.7 ,,; 192.0.2.7 0",
                // the last one who is known
                "X-Forwarded-For: 192.0.2.7, unknown, 10.0.0.2; 10.0.0.2 0",
                "X-Forwarded-For: _hidden; 10.0.0.1 4711",
                // fields that were not chosen
                "Forwarded: for=192.0.2.7; 10.0.0.1 4711",
                "X-Real-IP: 192.0.2.7|Client-IP: 192.0.2.8; 10.0.0.1 4711",
            })
    void theClientBehindTheProxies(String fields, String client) throws Exception {
        assertEquals(client, client(read(OTHERS, fields)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '`',
            value = {
                "``! 10.0.0.1 4711",
                "Forwarded: for=192.0.2.7! 192.0.2.7 0",
                "Forwarded: FOR=192.0.2.7;proto=http;by=203.0.113.43! 192.0.2.7 0",
                "Forwarded: for=\"192.0.2.7:1234\"! 192.0.2.7 1234",
                "Forwarded: for=\"[2001:db8::7]\"! 2001:db8:0:0:0:0:0:7 0",
                "Forwarded: for=\"[2001:db8:cafe::17]:4711\"! 2001:db8:cafe:0:0:0:0:17 4711",
                "Forwarded: for=\"192.0.2.7:_port\"! 192.0.2.7 0",
                "Forwarded: for=\"192.0.2.\\7\"! 192.0.2.7 0",
                "Forwarded: for=127.0.0.1, for=192.0.2.7! 192.0.2.7 0",
                "Forwarded: for=127.0.0.1|Forwarded: for=192.0.2.7! 192.0.2.7 0",
                "Forwarded: for=192.0.2.7, for=10.0.0.3;by=10.0.0.2, for=10.0.0.2! 192.0.2.7 0",
                "Forwarded: for=\"a, for=192.0.2.8\", for=192.0.2.7! 192.0.2.7 0",
                "Forwarded: secret=x;for=192.0.2.7;;! 192.0.2.7 0",
                "Forwarded: for=192.0.2.7, for=unknown, for=10.0.0.2! 10.0.0.2 0",
                "Forwarded: for=192.0.2.7, proto=https! 10.0.0.1 4711",
                "Forwarded: for=_gazonk! 10.0.0.1 4711",
                "X-Forwarded-For: 192.0.2.7! 10.0.0.1 4711",
            })
    void theClientByTheStandard(String fields, String client) throws Exception {
        assertEquals(client, client(read(STANDARD, fields)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: localhost",
                "X-Forwarded-For: 192.0.2",
                "X-Forwarded-For: 192.0.2.256",
                "X-Forwarded-For: 192.0.2.007",
                "X-Forwarded-For: 3221225991",
                "X-Forwarded-For: 192.0.2.7:99999",
                "X-Forwarded-For: 192.0.2.7:",
                "X-Forwarded-For: [192.0.2.7]",
                "X-Forwarded-For: [2001:db8::7",
                "X-Forwarded-For: [2001:db8::7]x",
                "X-Forwarded-For: fe80::1%eth0",
                "X-Forwarded-For: \"192.0.2.7\"",
                "X-Forwarded-For: 192.0.2.7, nonsense, 10.0.0.2",
                "X-Forwarded-Proto: ftp",
                "X-Forwarded-Proto: https://",
                "X-Forwarded-Host: a/b",
                "X-Forwarded-Host: user@a",
                "X-Forwarded-Host: a:99999",
                "X-Forwarded-Host: a b",
                "X-Forwarded-For: 192.0.2.7, 10.0.0.3, 10.0.0.2|X-Forwarded-Proto: https, http",
            })
    void whatNoProxySendsIsRefused(String fields) {
        assertThrows(Forwarded.Malformed.class, () -> read(OTHERS, fields));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Forwarded: 192.0.2.7",
                "Forwarded: for=",
                "Forwarded: for=\"192.0.2.7",
                "Forwarded: for=192.0.2.7 for=192.0.2.8",
                "Forwarded: for=192.0.2.7;for=192.0.2.8",
                "Forwarded: for =192.0.2.7",
                "Forwarded: for= 192.0.2.7",
                "Forwarded: for=2001:db8::7",
                "Forwarded: for=[2001:db8::7]",
                "Forwarded: for=localhost",
                "Forwarded: for=192.0.2.7;proto=ftp",
                "Forwarded: for=192.0.2.7;host=\"a/b\"",
                // a client tries to swallow what the proxy adds
                "Forwarded: for=127.0.0.1;x=\", for=192.0.2.7",
                "Forwarded: for=\"127.0.0.1|Forwarded: for=192.0.2.7",
            })
    void whatNoProxySendsByTheStandardIsRefused(String fields) {
        assertThrows(Forwarded.Malformed.class, () -> read(STANDARD, fields));
    }

    @Test
    void aChainWithoutEndIsRefused() {
        String hops = "10.0.0.9, ".repeat(33) + "10.0.0.2";
        assertThrows(Forwarded.Malformed.class, () -> read(OTHERS, "X-Forwarded-For: " + hops));
        String elements = "for=10.0.0.9, ".repeat(33) + "for=10.0.0.2";
        assertThrows(Forwarded.Malformed.class, () -> read(STANDARD, "Forwarded: " + elements));
    }

    /** A long list of a client's own invention costs nothing and is nobody's fault. */
    @Test
    void aClientMaySendAListAsLongAsItLikes() throws Exception {
        String hops = "10.0.0.9, ".repeat(500) + "192.0.2.7";
        assertEquals("192.0.2.7 0", client(read(OTHERS, "X-Forwarded-For: " + hops)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: https|X-Forwarded-Host: A.test:81; https; A.test:81",
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: HTTPS; https; ''",
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: wss; https; ''",
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: http; http; ''",
                // the client's own come first, and do not count
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: https, http; http; ''",
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: https|X-Forwarded-Proto: http; http; ''",
                "X-Forwarded-For: 192.0.2.7|X-Forwarded-Host: evil, a.test; ''; a.test",
                // each hop adds its own, or the first one's stays
                "X-Forwarded-For: 192.0.2.7, 10.0.0.2|X-Forwarded-Proto: https, http; https; ''",
                "X-Forwarded-For: 192.0.2.7, 10.0.0.2|X-Forwarded-Proto: http, https, http; https; ''",
                "X-Forwarded-For: 192.0.2.7, 10.0.0.2|X-Forwarded-Proto: https; https; ''",
            })
    void schemeAndHostAreThoseOfTheClientsHop(String fields, String scheme, String authority)
            throws Exception {
        Forwarded forwarded = read(OTHERS, fields);
        assertEquals(scheme, forwarded.scheme());
        assertEquals(authority, forwarded.authority());
    }

    @Test
    void schemeAndHostByTheStandard() throws Exception {
        Forwarded forwarded =
                read(
                        STANDARD,
                        "Forwarded: for=1.2.3.4;proto=http;host=evil, for=192.0.2.7;proto=https;"
                                + "host=\"[2001:db8::1]:8443\", for=10.0.0.2;proto=http;host=inner");
        assertEquals("192.0.2.7 0", client(forwarded));
        assertEquals("https", forwarded.scheme());
        assertEquals("[2001:db8::1]:8443", forwarded.authority());
        assertEquals("[2001:db8::1]", forwarded.host());
    }

    @Test
    void onlyTheChosenFieldsCount() throws Exception {
        TrustedProxies addresses = TrustedProxies.of(TRUSTED, Field.X_FORWARDED_FOR);
        Forwarded forwarded =
                read(
                        addresses,
                        "X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: https|X-Forwarded-Host: evil");
        assertEquals(new Forwarded(new InetSocketAddress("192.0.2.7", 0), "", ""), forwarded);
        assertThrows(
                IllegalArgumentException.class,
                () -> TrustedProxies.of(TRUSTED, Field.FORWARDED, Field.X_FORWARDED_FOR));
    }
}
