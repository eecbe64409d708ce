// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.dns;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.web.dns.DnsMessage.Answer;
import io.sirocco.web.dns.NameServer.Zone;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names at a name server of the test, in files, and in malformed responses. */
@Timeout(60)
class NameResolverTest {
    private static final byte[] ASKED = {(byte) 0xc0, 12};

    @TempDir Path folder;

    private Answer ask(Zone zone, String name) throws IOException {
        try (var server = new NameServer(zone)) {
            return new DnsClient(ResolvConf.of(List.of(server.address()))).ask(name, DnsMessage.A);
        }
    }

    private static Answer.Found found(long seconds, String... addresses) {
        return new Answer.Found(
                Arrays.stream(addresses).map(InetAddress::ofLiteral).toList(), seconds);
    }

    /** A name as it is written in a message. */
    private static byte[] name(String text) {
        var name = new StringBuilder();
        for (String label : text.split("\\.")) {
            name.append((char) label.length()).append(label);
        }
        return name.append('\0').toString().getBytes(ISO_8859_1);
    }

    @Test
    void theAddressesAndTheirTimeToLive() throws IOException {
        assertEquals(
                found(7, "127.0.0.1", "127.0.0.2"),
                ask((query, tcp) -> NameServer.address(query, 7, "127.0.0.1", "127.0.0.2"), "A.b"));
        assertEquals(new Answer.None(), ask((q, t) -> NameServer.response(q, 0x8180), "a.b"));
        assertEquals(new Answer.None(), ask((q, t) -> NameServer.response(q, 0x8183), "a.b"));
    }

    /** The time to live of an alias counts, too. */
    @Test
    void aliasesAreFollowed() throws IOException {
        byte[] address = InetAddress.ofLiteral("127.0.0.3").getAddress();
        Zone zone =
                (query, tcp) ->
                        NameServer.response(
                                query,
                                0x8180,
                                NameServer.record(name("c.b"), 1, 9, address),
                                NameServer.record(name("other"), 1, 1, address),
                                NameServer.record(ASKED, 5, 20, name("B.b")),
                                NameServer.record(name("b.B"), 5, 5, name("c.b")));
        assertEquals(found(5, "127.0.0.3"), ask(zone, "a.b"));
        Zone loop =
                (query, tcp) ->
                        NameServer.response(
                                query,
                                0x8180,
                                NameServer.record(ASKED, 5, 20, name("b.b")),
                                NameServer.record(name("b.b"), 5, 5, name("a.b")));
        assertEquals(new Answer.None(), ask(loop, "a.b"));
    }

    @Test
    void aTruncatedResponseIsAskedForOverTcp() throws IOException {
        Zone zone =
                (query, tcp) ->
                        tcp
                                ? NameServer.address(query, 3, "127.0.0.4")
                                : NameServer.response(query, 0x8380);
        assertEquals(found(3, "127.0.0.4"), ask(zone, "a.b"));
    }

    /** The timeout is for all of a response, not for each byte. */
    @Test
    void aResponseThatTricklesIsNotWaitedFor() throws IOException {
        Zone zone =
                (query, tcp) ->
                        tcp
                                ? NameServer.address(query, 3, "127.0.0.4")
                                : NameServer.response(query, 0x8380);
        try (var server = new NameServer(zone)) {
            server.trickle(100);
            var conf =
                    new ResolvConf(
                            List.of(server.address()), List.of(), 1, Duration.ofSeconds(1), 1);
            assertThrows(IOException.class, () -> new DnsClient(conf).ask("a.b", DnsMessage.A));
        }
    }

    /** Each step looks at all records, of which there may be thousands. */
    @Test
    void aliasesAreFollowedSixteenTimes() throws IOException {
        assertEquals(found(20, "127.0.0.3"), ask((q, t) -> aliases(q, 16), "a0.b"));
        assertEquals(new Answer.None(), ask((q, t) -> aliases(q, 17), "a0.b"));
    }

    private static byte[] aliases(byte[] query, int count) {
        var records = new ArrayList<byte[]>();
        for (int i = 0; i < count; i++) {
            records.add(NameServer.record(name("a" + i + ".b"), 5, 20, name("a" + (i + 1) + ".b")));
        }
        byte[] address = InetAddress.ofLiteral("127.0.0.3").getAddress();
        records.add(NameServer.record(name("a" + count + ".b"), 1, 20, address));
        return NameServer.response(query, 0x8180, records.toArray(byte[][]::new));
    }

    @Test
    void aServerThatFailsIsAskedAgainAndThenTheNext() throws IOException {
        try (var bad = new NameServer((query, tcp) -> NameServer.response(query, 0x8182));
                var good = new NameServer((q, t) -> NameServer.address(q, 3, "127.0.0.4"))) {
            var two = ResolvConf.of(List.of(bad.address(), good.address()));
            assertEquals(found(3, "127.0.0.4"), new DnsClient(two).ask("a", DnsMessage.A));
            var one = ResolvConf.of(List.of(bad.address()));
            assertThrows(IOException.class, () -> new DnsClient(one).ask("a", DnsMessage.A));
            assertEquals(3, bad.queries.size());
        }
    }

    /** RFC 5452: another number, or another question, is no response to the query. */
    @Test
    void responsesToOtherQueriesAreIgnored() throws IOException {
        byte[] query = DnsMessage.query(7, "a.b", DnsMessage.A);
        byte[] right = NameServer.address(query, 3, "127.0.0.4");
        byte[] number = right.clone();
        number[1]++;
        byte[] question = right.clone();
        question[13] = 'x';
        byte[] echo = query.clone();
        for (byte[] other : List.of(number, question, echo, new byte[5])) {
            assertEquals(new Answer.Other(), DnsMessage.read(query, other, other.length));
        }
        assertEquals(found(3, "127.0.0.4"), DnsMessage.read(query, right, right.length));
    }

    @Test
    void noResponseMakesTheReaderLoopOrFailOtherwise() throws IOException {
        byte[] query = DnsMessage.query(7, "a.b", DnsMessage.A);
        byte[] pointer = {(byte) 0xc0, (byte) query.length};
        byte[] toItself =
                NameServer.response(query, 0x8180, NameServer.record(pointer, 1, 1, name("a")));
        assertThrows(IOException.class, () -> DnsMessage.read(query, toItself, toItself.length));
        byte[] right =
                NameServer.response(
                        query,
                        0x8180,
                        NameServer.record(ASKED, 5, 20, name("b.b")),
                        NameServer.record(name("b.b"), 1, 5, new byte[] {1, 2, 3, 4}));
        var random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            byte[] wrong = right.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                wrong[random.nextInt(wrong.length)] = (byte) random.nextInt(256);
            }
            try {
                DnsMessage.read(query, wrong, random.nextInt(wrong.length + 1));
            } catch (IOException e) {
                // malformed
            }
        }
    }

    @Test
    void namesThatTheDnsCannotHave() {
        for (String bad : List.of("", "a..b", "x".repeat(64), "a.".repeat(130) + "a")) {
            assertThrows(IOException.class, () -> DnsMessage.query(1, bad, DnsMessage.A));
        }
    }

    @Test
    void theHostsFileComesFirst() throws IOException {
        Path hosts = folder.resolve("hosts");
        Files.writeString(
                hosts,
                """
                # comment
                127.0.0.7  one.test ONE # two.test
                bad        one.test
                ::1        one.test
                """);
        try (var server = new NameServer((q, t) -> NameServer.address(q, 60, "127.0.0.8"))) {
            var resolver = new NameResolver(hosts, List.of(server.address()));
            var one = resolver.resolve("One.test");
            assertEquals(
                    List.of(InetAddress.ofLiteral("127.0.0.7"), InetAddress.ofLiteral("::1")),
                    one.addresses());
            assertEquals(Optional.empty(), one.validity());
            assertEquals(0, server.queries.size());
            var two = resolver.resolve("two.test");
            assertEquals(List.of(InetAddress.ofLiteral("127.0.0.8")), two.addresses());
            assertEquals(Optional.of(Duration.ofSeconds(60)), two.validity());
            server.zone((q, t) -> NameServer.response(q, 0x8183));
            assertThrows(IOException.class, () -> resolver.resolve("two.test"));
        }
    }

    @Test
    void resolvConf() {
        var conf =
                ResolvConf.parse(
                        """
                        ; comment
                        nameserver 192.0.2.1
                        nameserver ::1
                        nameserver nonsense
                        nameserver
                        search a.test b.test
                        options ndots:2 timeout:1 attempts:x rotate
                        """);
        assertEquals(
                List.of(
                        new InetSocketAddress("192.0.2.1", 53),
                        new InetSocketAddress(InetAddress.ofLiteral("::1"), 53)),
                conf.servers());
        assertEquals(Duration.ofSeconds(1), conf.timeout());
        assertEquals(2, conf.attempts());
        assertEquals(List.of("x.y.a.test", "x.y.b.test", "x.y"), conf.candidates("x.y"));
        assertEquals(List.of("x.y.z", "x.y.z.a.test", "x.y.z.b.test"), conf.candidates("x.y.z"));
        assertEquals(List.of("x."), conf.candidates("x."));
        assertTrue(ResolvConf.read(folder.resolve("absent")).servers().isEmpty());
    }

    @Test
    void theSearchListIsTriedInOrder() throws IOException {
        Zone zone =
                (query, tcp) ->
                        NameServer.name(query).equals("a.two.test")
                                ? NameServer.address(query, 2, "127.0.0.9")
                                : NameServer.response(query, 0x8183);
        try (var server = new NameServer(zone)) {
            var conf =
                    new ResolvConf(
                            List.of(server.address()),
                            List.of("one.test", "two.test"),
                            1,
                            Duration.ofSeconds(5),
                            2);
            assertEquals(found(2, "127.0.0.9"), new DnsClient(conf).ask("a", DnsMessage.A));
            assertEquals(List.of("a.one.test", "a.two.test"), List.copyOf(server.queries));
        }
    }
}
