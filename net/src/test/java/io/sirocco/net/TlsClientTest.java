// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that a loop opens itself, with TLS on them: to our own server, and to openssl's. */
@OnEachTransport
@Timeout(60)
class TlsClientTest {
    @Parameter TransportKind transport;
    private final TlsFiles files = TlsFiles.get();
    private final Pair a = files.pair("a", "EC", "a.test", "localhost");
    private final TlsClient trusting = TlsClient.trusting(files.file("authority.pem"));
    private final ManualClock clock = new ManualClock();
    private Rig rig;

    @BeforeEach
    void start() throws IOException {
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).clock(clock));
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private static final class Client extends Probe implements Connector {
        final CompletableFuture<IOException> failed = new CompletableFuture<>();

        @Override
        public Protocol connected(Connection connection) {
            Probe.write(connection, "hello\n");
            return accept(connection);
        }

        @Override
        public void failed(IOException why) {
            failed.complete(why);
        }
    }

    private Client connect(SocketAddress address, TlsClient tls, String host, String... protocols) {
        var client = new Client();
        Connector secured = tls.to(host, 1, List.of(protocols), client);
        Rig.on(rig.loop(), () -> rig.loop().connect(Destination.of(address), secured));
        return client;
    }

    private Listener listen(String... protocols) throws IOException {
        Tls tls = Tls.of(s -> s.certificate(a.chain(), a.key()));
        return rig.listen(options -> options.tls(tls, protocols), c -> new Echo());
    }

    private IOException whyNot(SocketAddress address, TlsClient tls, String host) {
        IOException why = Rig.get(connect(address, tls, host).failed);
        assertInstanceOf(SSLHandshakeException.class, why);
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
        return why;
    }

    @Test
    void bytesGoBothWays() throws Exception {
        Client client = connect(listen("h2", "http/1.1").address(), trusting, "a.test", "http/1.1");
        Rig.until("the echo is back", () -> client.input().equals("hello\n"));
        Connection connection = client.connection();
        Optional<TlsSession> session = Rig.ask(rig.loop(), connection::tls);
        assertEquals("TLSv1.3", session.orElseThrow().version());
        assertEquals(Optional.of("http/1.1"), session.get().protocol());
        assertEquals(
                "CN=a",
                session.get().peerCertificates().getFirst().getSubjectX500Principal().getName());
        byte[] much = Rig.pattern(3 << 20);
        Rig.on(rig.loop(), () -> connection.writeStable(much, 0, much.length));
        Rig.until("all of it is back", () -> client.inputLength() == much.length + 6);
        Rig.on(rig.loop(), connection::finish);
        assertEquals(CloseCause.FINISHED, Rig.get(client.closed));
        assertEquals(1, client.closes.get());
        assertTrue(!client.failed.isDone());
    }

    /** An end of TLS that is not ours, in both versions. */
    @Tag("peers")
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3", "-tls1_2"})
    void opensslAnswers(String version) throws Exception {
        int port = FreePort.tcp();
        Process server =
                new ProcessBuilder(
                                "openssl",
                                "s_server",
                                "-accept",
                                "127.0.0.1:" + port,
                                "-rev",
                                version,
                                "-cert",
                                a.chain().toString(),
                                "-key",
                                a.key().toString())
                        .redirectErrorStream(true)
                        .directory(files.folder.toFile())
                        .start();
        try {
            var said = server.inputReader();
            for (String line = ""; !line.contains("ACCEPT"); ) {
                line = said.readLine();
                assertTrue(line != null, "openssl s_server has ended");
            }
            Client client =
                    connect(new InetSocketAddress("127.0.0.1", port), trusting, "localhost");
            Rig.until("it is turned around", () -> client.input().equals("olleh\n"));
            Rig.on(rig.loop(), client.connection()::finish);
            Rig.get(client.closed);
        } finally {
            server.destroy();
            assertTrue(server.waitFor(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void aStrangerIsNotTrusted() throws Exception {
        TlsClient others = TlsClient.trusting(files.file("stranger.pem"));
        String why = whyNot(listen().address(), others, "a.test").getMessage();
        assertTrue(why.contains("the TLS handshake with a.test:1 failed"), why);
    }

    @Test
    void noAuthorityOfThisJvmHasSignedIt() throws Exception {
        whyNot(listen().address(), TlsClient.system(), "a.test");
    }

    @Test
    void anotherHostIsNotTheOneThatWasAskedFor() throws Exception {
        String why = whyNot(listen().address(), trusting, "b.test").getMessage();
        assertTrue(why.contains("b.test"), why);
    }

    /** For the JDK no certificate is for such a name. */
    @Test
    void aHostWithAnUnderscoreNeedsAnotherName() throws Exception {
        Pair named = files.pair("underscore", "EC", "my_app.test");
        Tls tls = Tls.of(s -> s.certificate(named.chain(), named.key()));
        Listener listener = rig.listen(options -> options.tls(tls), c -> new Echo());
        String why = whyNot(listener.address(), trusting, "my_app.test").getMessage();
        assertTrue(why.contains("my_app.test"), why);
        assertTrue(why.contains("give a name without an underscore"), why);
    }

    @Test
    void aServerWithoutTlsIsSaidToHaveNone() throws Exception {
        Listener plain =
                rig.listen(
                        c -> {
                            Probe.write(c, "HTTP/1.1 400 Bad Request\r\n\r\n");
                            return new Echo();
                        });
        String why = whyNot(plain.address(), trusting, "a.test").getMessage();
        assertTrue(why.contains("the peer does not speak TLS"), why);
    }

    @Test
    void aServerThatEndsAtOnce() throws Exception {
        Listener rude =
                rig.listen(
                        c -> {
                            c.finish(false);
                            return new Probe();
                        });
        whyNot(rude.address(), trusting, "a.test");
    }

    @Test
    void aServerThatSaysNothing() throws Exception {
        var silent = new Probe();
        Listener listener = rig.listen(silent);
        Client client = connect(listener.address(), trusting, "a.test");
        Rig.until("its hello has come", () -> silent.inputLength() > 0);
        clock.advance(11_000);
        IOException why = Rig.get(client.failed);
        assertInstanceOf(TlsHandshakeTimeoutException.class, why);
        assertEquals("the TLS handshake with a.test:1 took longer than 10000 ms", why.getMessage());
    }

    @Test
    void theTimeoutOfTheHandshakeMayBeLonger() throws Exception {
        var silent = new Probe();
        Listener listener = rig.listen(silent);
        TlsClient patient = trusting.withHandshakeTimeout(Duration.ofSeconds(20));
        Client client = connect(listener.address(), patient, "a.test");
        Rig.until("its hello has come", () -> silent.inputLength() > 0);
        clock.advance(19_000);
        Rig.settle(rig.loop());
        assertFalse(client.failed.isDone());
        clock.advance(2_000);
        assertInstanceOf(TlsHandshakeTimeoutException.class, Rig.get(client.failed));
        assertThrows(
                IllegalArgumentException.class, () -> trusting.withHandshakeTimeout(Duration.ZERO));
    }

    @Test
    void aLoopThatStopsDuringTheHandshake() throws Exception {
        var silent = new Probe();
        Listener listener = rig.listen(silent);
        Client client = connect(listener.address(), trusting, "a.test");
        Rig.until("its hello has come", () -> silent.inputLength() > 0);
        rig.loops().close();
        assertInstanceOf(LoopStoppedException.class, Rig.get(client.failed));
    }

    @Test
    void aRefusedConnectionIsNotAboutTls() throws Exception {
        IOException why = Rig.get(connect(FreePort.tcpAddress(), trusting, "a.test").failed);
        assertTrue(why.getMessage().contains("refused"), why::getMessage);
    }

    @Test
    void aFileWithoutCertificatesTrustsNobody() {
        assertThrows(
                IllegalArgumentException.class, () -> TlsClient.trusting(files.file("no.pem")));
    }
}
