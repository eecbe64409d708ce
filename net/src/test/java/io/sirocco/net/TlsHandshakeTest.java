// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TlsFiles.Command;
import io.sirocco.net.TlsSettings.ClientCertificates;
import io.sirocco.net.tls.JdkEngines;
import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Who is let in, and what is agreed on; with openssl as the peer where it can be. */
@OnEachTransport
class TlsHandshakeTest {
    @Parameter TransportKind transport;
    private final TlsFiles files = TlsFiles.get();
    private final Pair a = files.pair("a", "EC", "a.test", "localhost");
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Whose engines are tested: a module with others runs the same tests over them. */
    Optional<TlsEngines.Kind> engines() {
        return Optional.empty();
    }

    private Tls tls(Consumer<TlsSettings> configure) {
        return Tls.of(
                s -> {
                    configure.accept(s);
                    engines().ifPresent(s::engines);
                });
    }

    private Listener listen(Tls tls, Acceptor acceptor, String... protocols) throws IOException {
        return rig.listen(options -> options.tls(tls, protocols), acceptor);
    }

    private Listener listen(Consumer<TlsSettings> configure) throws IOException {
        return listen(tls(configure), c -> new Echo());
    }

    private Tls plainTls() {
        return tls(s -> s.certificate(a.chain(), a.key()));
    }

    String sClient(Listener listener, String input, String... more) {
        var command = new ArrayList<String>();
        command.addAll(List.of("openssl", "s_client", "-connect"));
        command.add("127.0.0.1:" + listener.port());
        command.addAll(List.of("-CAfile", "authority.pem"));
        command.addAll(List.of(more));
        return Command.result(files.folder, input, command).output();
    }

    private static void has(String output, String expected) {
        assertTrue(output.contains(expected), () -> "no " + expected + " in " + output);
    }

    static String subject(String output) {
        return output.lines()
                .filter(line -> line.startsWith("subject="))
                .findFirst()
                .orElse("no certificate");
    }

    // ---- versions and ciphers

    @Tag("peers")
    @Test
    void version13() throws Exception {
        String output = sClient(listen(s -> s.certificate(a.chain(), a.key())), "", "-tls1_3");
        has(output, "New, TLSv1.3, Cipher is TLS_AES_128_GCM_SHA256");
        has(output, "Verify return code: 0 (ok)");
    }

    @Tag("peers")
    @Test
    void version12() throws Exception {
        String output = sClient(listen(s -> s.certificate(a.chain(), a.key())), "", "-tls1_2");
        has(output, "New, TLSv1.2, Cipher is ECDHE-ECDSA-AES128-GCM-SHA256");
        has(output, "Secure Renegotiation IS supported");
        has(output, "Extended master secret: yes");
    }

    @Tag("peers")
    @Test
    void oldVersionsAreRefused() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        for (String version : List.of("-tls1", "-tls1_1")) {
            String output = sClient(listener, "", version, "-cipher", "DEFAULT:@SECLEVEL=0");
            has(output, "alert protocol version");
            has(output, "Cipher is (NONE)");
        }
    }

    @Tag("peers")
    @Test
    void weakCiphersAreRefused() throws Exception {
        Pair rsa = files.pair("rsa", "RSA", "rsa.test");
        Listener listener = listen(s -> s.certificate(rsa.chain(), rsa.key()));
        for (String cipher :
                List.of(
                        "AES128-GCM-SHA256",
                        "ECDHE-RSA-AES128-SHA256",
                        "DHE-RSA-AES128-GCM-SHA256")) {
            has(
                    sClient(listener, "", "-tls1_2", "-cipher", cipher + ":@SECLEVEL=0"),
                    "alert handshake failure");
        }
    }

    @Tag("peers")
    @Test
    void theServerChoosesTheCipher() throws Exception {
        Listener listener =
                listen(
                        s ->
                                s.certificate(a.chain(), a.key())
                                        .cipherSuites(
                                                "TLS_CHACHA20_POLY1305_SHA256",
                                                "TLS_AES_128_GCM_SHA256"));
        has(
                sClient(
                        listener,
                        "",
                        "-ciphersuites",
                        "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256"),
                "Cipher is TLS_CHACHA20_POLY1305_SHA256");
    }

    @Tag("peers")
    @Test
    void onlyTheVersionsThatWereSet() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()).versions("TLSv1.3"));
        has(sClient(listener, "", "-tls1_2"), "alert protocol version");
    }

    // ---- names

    @Tag("peers")
    @Test
    void theNameChoosesTheCertificate() throws Exception {
        Pair wild = files.pair("wild", "EC", "*.b.test", "b.test");
        Pair exact = files.pair("exact", "EC", "x.b.test");
        Listener listener =
                listen(
                        s ->
                                s.certificate(a.chain(), a.key())
                                        .certificate(wild.chain(), wild.key())
                                        .certificate(exact.chain(), exact.key()));
        for (String version : List.of("-tls1_2", "-tls1_3")) {
            assertEquals(
                    "subject=CN = a",
                    subject(sClient(listener, "", version, "-servername", "a.test")));
            assertEquals(
                    "subject=CN = wild",
                    subject(sClient(listener, "", version, "-servername", "y.b.test")));
            assertEquals(
                    "subject=CN = wild",
                    subject(sClient(listener, "", version, "-servername", "B.TEST")));
            assertEquals(
                    "subject=CN = exact",
                    subject(sClient(listener, "", version, "-servername", "x.b.test")));
            assertEquals(
                    "subject=CN = a",
                    subject(sClient(listener, "", version, "-servername", "y.x.b.test")));
            assertEquals(
                    "subject=CN = a", subject(sClient(listener, "", version, "-noservername")));
        }
    }

    @Tag("peers")
    @Test
    void ofTwoKindsOfKeyTheOneThatTheClientCanCheck() throws Exception {
        Pair ec = files.pair("both-ec", "EC", "both.test");
        Pair rsa = files.pair("both-rsa", "RSA", "both.test");
        Listener listener =
                listen(
                        s ->
                                s.certificate(a.chain(), a.key())
                                        .certificate(ec.chain(), ec.key())
                                        .certificate(rsa.chain(), rsa.key()));
        String name = "both.test";
        assertEquals("subject=CN = both-ec", subject(sClient(listener, "", "-servername", name)));
        assertEquals(
                "subject=CN = both-rsa",
                subject(
                        sClient(
                                listener,
                                "",
                                "-servername",
                                name,
                                "-sigalgs",
                                "rsa_pss_rsae_sha256")));
        assertEquals(
                "subject=CN = both-rsa",
                subject(
                        sClient(
                                listener,
                                "",
                                "-servername",
                                name,
                                "-tls1_2",
                                "-cipher",
                                "ECDHE-RSA-AES128-GCM-SHA256")));
    }

    @Tag("peers")
    @Test
    void unknownNamesAreRefusedIfThatIsWanted() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()).refuseUnknownNames());
        has(sClient(listener, "", "-servername", "c.test"), "tlsv1 unrecognized name");
        assertEquals("subject=CN = a", subject(sClient(listener, "", "-servername", "a.test")));
        assertEquals("subject=CN = a", subject(sClient(listener, "", "-noservername")));
    }

    /** The JDK reads such a name as no name; its error says what to do. */
    @Tag("peers")
    @Test
    void aNameWithAnUnderscore() throws Exception {
        var reasons = new LinkedBlockingQueue<String>();
        rig.start(
                s ->
                        s.observer(
                                new Observer() {
                                    @Override
                                    public void tlsFailed(Connection connection, String reason) {
                                        reasons.add(reason);
                                    }
                                }));
        String output = sClient(listenToUnderscores(new Probe()), "", "-servername", "my_app.test");
        has(output, "alert");
        String reason = reasons.poll(20, TimeUnit.SECONDS);
        assertTrue(reason != null && reason.contains("my_app.test"), reason);
        assertTrue(reason.contains("the OpenSSL engine serves"), reason);
    }

    Listener listenToUnderscores(Acceptor acceptor) throws IOException {
        Pair named = files.pair("underscore", "EC", "my_app.test");
        Tls both =
                tls(s -> s.certificate(a.chain(), a.key()).certificate(named.chain(), named.key()));
        return listen(both, acceptor);
    }

    // ---- what is spoken above

    @Tag("peers")
    @Test
    void theFirstOfOurProtocolsThatTheClientHas() throws Exception {
        var probe = new Probe();
        Listener listener = listen(plainTls(), probe, "h2", "http/1.1");
        has(
                sClient(listener, "", "-alpn", "http/1.1,h2", "-servername", "a.test"),
                "ALPN protocol: h2");
        TlsSession session = probe.connection().tls().orElseThrow();
        assertEquals(Optional.of("h2"), session.protocol());
        assertEquals(Optional.of("a.test"), session.serverName());
        assertEquals("TLSv1.3", session.version());
        assertEquals("TLS_AES_128_GCM_SHA256", session.cipherSuite());
        assertEquals(List.of(), session.peerCertificates());
    }

    @Tag("peers")
    @Test
    void noProtocolInCommon() throws Exception {
        Listener listener = listen(plainTls(), c -> new Echo(), "http/1.1");
        has(sClient(listener, "", "-alpn", "imap"), "alert no application protocol");
        has(sClient(listener, ""), "No ALPN negotiated");
    }

    @Test
    void aPlainConnectionHasNoSession() throws Exception {
        var probe = new Probe();
        rig.connect(rig.listen(probe));
        assertEquals(Optional.empty(), probe.connection().tls());
    }

    // ---- certificates of clients

    private String asClient(Listener listener, Pair own, String... more) {
        var options =
                new ArrayList<>(
                        List.of("-quiet", "-no_ign_eof", "-cert", own.chain().toString(), "-key"));
        options.add(own.key().toString());
        options.addAll(List.of(more));
        return sClient(listener, "hello\n", options.toArray(String[]::new));
    }

    /** It waits until it is told. */
    private String refused(Listener listener, Pair own) {
        return asClient(listener, own, "-ign_eof");
    }

    @Tag("peers")
    @Test
    void neededClientCertificates() throws Exception {
        var probe = new Probe();
        Tls tls =
                tls(
                        s ->
                                s.certificate(a.chain(), a.key())
                                        .clientCertificates(
                                                ClientCertificates.NEEDED, files.authority()));
        Listener listener = listen(tls, probe);
        has(sClient(listener, "hello\n", "-quiet"), "alert certificate required");
        has(sClient(listener, "hello\n", "-quiet", "-tls1_2"), "alert handshake failure");
        has(refused(listener, files.stranger("eve")), "alert");
        assertFalse(probe.opened.isDone());
        asClient(listener, files.client("carol"));
        TlsSession session = probe.connection().tls().orElseThrow();
        assertEquals(
                "CN=carol",
                session.peerCertificates().getFirst().getSubjectX500Principal().getName());
    }

    @Tag("peers")
    @Test
    void wantedClientCertificates() throws Exception {
        var sessions = new java.util.concurrent.LinkedBlockingQueue<TlsSession>();
        Tls tls =
                tls(
                        s ->
                                s.certificate(a.chain(), a.key())
                                        .clientCertificates(
                                                ClientCertificates.WANTED, files.authority()));
        Listener listener =
                listen(
                        tls,
                        c -> {
                            sessions.add(c.tls().orElseThrow());
                            return new Echo();
                        });
        sClient(listener, "");
        assertEquals(List.of(), sessions.take().peerCertificates());
        asClient(listener, files.client("carol"));
        assertFalse(sessions.take().peerCertificates().isEmpty());
        has(refused(listener, files.stranger("eve")), "alert");
        assertTrue(sessions.isEmpty());
    }

    // ---- resumption

    /** Ends when it has been answered: the ticket, if there is one, has come before. */
    private void askOnce(Listener listener, String version, String session) throws IOException {
        String to = "127.0.0.1:" + listener.port();
        Process client =
                new ProcessBuilder(
                                "openssl",
                                "s_client",
                                "-connect",
                                to,
                                version,
                                "-sess_out",
                                session)
                        .directory(files.folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        try (var lines = client.inputReader()) {
            try (var in = client.outputWriter()) {
                in.write("hello\n");
                in.flush();
                String line = lines.readLine();
                while (line != null && !line.equals("hello")) {
                    line = lines.readLine();
                }
                assertEquals("hello", line);
            }
            lines.transferTo(java.io.Writer.nullWriter());
        } finally {
            client.destroy();
        }
    }

    private void resumes(String version) throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        String session = "session-" + transport + version;
        askOnce(listener, version, session);
        has(sClient(listener, "", version, "-sess_in", session), "Reused, ");
    }

    @Tag("peers")
    @Test
    void sessionsAreResumed13() throws Exception {
        resumes("-tls1_3");
    }

    @Tag("peers")
    @Test
    void sessionsAreResumed12() throws Exception {
        resumes("-tls1_2");
    }

    @Tag("peers")
    @Test
    void sessionsAreResumedWithoutTickets() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        String output = sClient(listener, "", "-tls1_2", "-no_ticket", "-reconnect");
        assertEquals(5, output.lines().filter(line -> line.startsWith("Reused, ")).count(), output);
    }

    @Tag("peers")
    @Test
    void sessionsAreNotResumedAcrossAReload() throws Exception {
        Tls tls = plainTls();
        Listener listener = listen(tls, c -> new Echo());
        String session = "session-reload-" + transport;
        sClient(listener, "", "-tls1_2", "-sess_out", session);
        has(sClient(listener, "", "-tls1_2", "-sess_in", session), "Reused, ");
        tls.reload();
        has(sClient(listener, "", "-tls1_2", "-sess_in", session), "New, ");
    }

    // ---- what is no handshake

    @Test
    void textIsAnswered() throws Exception {
        Listener listener =
                rig.listen(
                        options ->
                                options.tls(plainTls()).plainTextResponse("this is TLS".getBytes()),
                        c -> new Echo());
        Peer peer = rig.connect(listener).send("GET / HTTP/1.1\r\n\r\n");
        assertEquals("this is TLS", peer.allText());
    }

    @Test
    void textIsClosedInOrder() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        assertEquals("", rig.connect(listener).send("GET / HTTP/1.1\r\n\r\n").allText());
    }

    @Test
    void garbageIsClosed() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        for (byte[] garbage :
                List.of(
                        new byte[] {0, 0, 0, 0, 0},
                        new byte[] {22, 3, 1, 0, 2, 1, 0, 9}, // a hello that is no hello
                        new byte[] {22, 3, 1, (byte) 0xFF, (byte) 0xFF, 1},
                        new byte[] {23, 3, 3, 0, 1, 7},
                        new byte[] {21, 3, 3, 0, 2, 2, 40},
                        new byte[] {(byte) 0x80, 0x2e, 1, 0, 2, 0, 0})) {
            Peer peer = rig.connect(listener).send(garbage);
            peer.end();
            peer.readAll();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        assertEquals(0, Rig.ask(rig.loop(), rig.loop().chunks::lent), "chunks come back");
    }

    @Test
    void aHandshakeThatNeverEndsIsBounded() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        Peer peer = rig.connect(listener);
        var change = new byte[] {20, 3, 3, 0, 1, 1};
        var many = new byte[change.length * 40_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = change[i % change.length];
        }
        peer.sending(many);
        peer.readAll();
        peer.close();
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
    }

    @Test
    void aSlowHandshakeIsCut() throws Exception {
        var clock = new ManualClock();
        rig.start(s -> s.loops(1).clock(clock));
        Tls tls =
                tls(s -> s.certificate(a.chain(), a.key()).handshakeTimeout(Duration.ofSeconds(5)));
        Listener listener = listen(tls, c -> new Echo());
        Peer silent = rig.connect(listener);
        Peer slow = rig.connect(listener).send(new byte[] {22, 3, 1, 1});
        try (var quick = TlsPeer.to(listener)) {
            quick.shakeHands().send("x");
            assertEquals("x", quick.text(1));
            Rig.until("all are here", () -> rig.stats().connections() == 3);
            clock.advance(7_000);
            assertTrue(silent.over());
            assertTrue(slow.over());
            quick.send("y");
            assertEquals("y", quick.text(1));
        }
    }

    @Test
    void halfAHandshake() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        try (var peer = TlsPeer.to(listener)) {
            peer.engine.beginHandshake();
            byte[] hello = peer.record(java.nio.ByteBuffer.allocate(0));
            peer.peer.send(hello, 0, hello.length / 2).end();
            assertTrue(peer.peer.over());
        }
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
    }

    @Test
    void byteByByte() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            try (var peer = TlsPeer.to(listener, version)) {
                peer.peer.channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
                peer.piece = 1;
                peer.shakeHands().send("hello");
                assertEquals("hello", peer.text(5));
            }
        }
    }

    @Test
    void theAcceptorThrows() throws Exception {
        Listener listener =
                listen(
                        plainTls(),
                        c -> {
                            throw new IllegalStateException("not today");
                        });
        try (var peer = TlsPeer.to(listener)) {
            peer.shakeHands();
            assertEquals("", peer.allText());
            assertTrue(peer.wasCut());
        }
        assertEquals("not today", rig.failures.remove().getMessage());
    }

    @Test
    void aClientThatTrustsAnotherAuthority() throws Exception {
        Listener listener = listen(s -> s.certificate(a.chain(), a.key()));
        var peer =
                new TlsPeer(
                        rig.connect(listener),
                        javax.net.ssl.SSLContext.getDefault(),
                        parameters -> {});
        assertThrows(SSLException.class, peer::shakeHands);
        peer.peer.close();
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
    }

    /** As the JDK's, but the first task of the first of them throws. */
    private static final class FirstTaskThrows implements TlsEngines.Kind {
        private final AtomicBoolean thrown = new AtomicBoolean();

        @Override
        public String name() {
            return "first-task-throws";
        }

        @Override
        public TlsEngines engines(TlsPolicy policy) {
            TlsEngines engines = JdkEngines.of(policy);
            return protocols -> {
                TlsEngine engine = engines.engine(protocols);
                return (TlsEngine)
                        Proxy.newProxyInstance(
                                TlsEngine.class.getClassLoader(),
                                new Class<?>[] {TlsEngine.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("task")
                                            && thrown.compareAndSet(false, true)) {
                                        return (Runnable)
                                                () -> {
                                                    throw new StackOverflowError("a test");
                                                };
                                    }
                                    try {
                                        return method.invoke(engine, arguments);
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
            };
        }
    }

    @Test
    void aTaskThatThrowsEndsItsOwnConnectionOnly() throws Exception {
        Tls tls = Tls.of(s -> s.certificate(a.chain(), a.key()).engines(new FirstTaskThrows()));
        Listener listener = rig.listen(options -> options.tls(tls), c -> new Echo());
        try (var first = TlsPeer.to(listener);
                var second = TlsPeer.to(listener)) {
            assertThrows(SSLException.class, first::shakeHands);
            assertEquals("hello", second.shakeHands().send("hello").text(5));
        }
        assertEquals(1, rig.failures.size(), rig.failures::toString);
    }

    @Test
    void anObserverThatThrowsStopsNoHandshake() throws Exception {
        rig.start(
                s ->
                        s.observer(
                                new Observer() {
                                    @Override
                                    public void tlsFailed(Connection connection, String reason) {
                                        throw new IllegalStateException("a test");
                                    }
                                }));
        Tls tls = Tls.of(s -> s.certificate(a.chain(), a.key()));
        Listener listener = rig.listen(options -> options.tls(tls), c -> new Echo());
        Peer garbage = rig.connect(listener).send(new byte[] {22, 3, 3, 0, 4, 99, 0, 0, 0});
        byte[] alert = garbage.end().readAll();
        assertTrue(alert.length >= 7 && alert[0] == 21, () -> Arrays.toString(alert));
        try (var second = TlsPeer.to(listener)) {
            assertEquals("hello", second.shakeHands().send("hello").text(5));
        }
    }
}
