// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.app.pokerface.Authority;
import io.sirocco.app.pokerface.Tool;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Variables in the headers of {@code proxy}, over real sockets. */
@Timeout(60)
class ProxyVariablesTest {
    @TempDir Path folder;
    private Server upstream;
    private Running running;

    /** Responds with the headers whose names begin with {@code V-}, by name. */
    @BeforeEach
    void start() {
        upstream =
                Server.start(
                        config -> config.port(0).loops(1),
                        routes ->
                                routes.any(
                                        "/*",
                                        request -> {
                                            var all = new TreeMap<String, String>();
                                            request.headers(
                                                    (name, value) -> {
                                                        if (name.startsWith("V-")) {
                                                            all.merge(
                                                                    name.substring(2),
                                                                    value,
                                                                    (a, b) -> a + " and " + b);
                                                        }
                                                    });
                                            return Response.text(all.toString());
                                        }));
    }

    @AfterEach
    void stop() {
        if (running != null) running.close();
        upstream.stop(Duration.ZERO);
    }

    private void serve(String listen, String headers, String more) throws Exception {
        running =
                Running.of(
                        folder,
                        TransportKind.AUTO,
                        """
                        %s
                        [[site]]
                        [[site.route]]
                        path = "/*"
                        proxy = { to = "http://127.0.0.1:%d", %s }
                        %s
                        """
                                .formatted(listen, upstream.port(), headers, more));
    }

    private static final String PLAIN = "[[listen]]\naddress = \"127.0.0.1:0\"\n";

    private Answer get(String... fields) throws IOException {
        return Client.get(running.port(), "/a%20b?x=1", fields);
    }

    @Test
    void theServerLearnsOfTheClient() throws Exception {
        serve(
                PLAIN,
                """
                request-headers = { \
                V-Address = "{client-address}", V-Url = "{scheme}://{authority}{target}", \
                V-Host = "{host}", V-Method = "{method}", V-Tls = "{tls-version}", \
                V-Subject = "{tls-client-subject}", V-User = "{user}", \
                V-Json = "{\\"a\\":{\\"b\\":1}} {{host}" }"""
                        .replace("\\\n", ""),
                "");
        assertEquals(
                "{Address=127.0.0.1, Host=localhost, Json={\"a\":{\"b\":1}} {host}, Method=GET,"
                        + " Url=http://localhost/a%20b?x=1}",
                get("V-Address: 1.2.3.4", "V-User: root", "V-Subject: CN=root").body());
    }

    @Test
    void aPortIsThatOfTheClient() throws Exception {
        serve(PLAIN, "request-headers = { V-Port = \"[{client-port}]\" }", "");
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), running.port());
                var client = new Client(socket)) {
            assertEquals("{Port=[" + socket.getLocalPort() + "]}", client.ask("GET", "/").body());
        }
    }

    @Test
    void aTrustedProxySaysWhoTheClientIs() throws Exception {
        serve(
                PLAIN
                        + "[proxies]\ntrusted = [\"127.0.0.1\"]\n"
                        + "headers = [\"x-forwarded-for\", \"x-forwarded-proto\"]\n",
                "request-headers = { V-Client = \"{client-address} {scheme}\" }",
                "");
        assertEquals(
                "{Client=10.1.2.3 https}",
                get("X-Forwarded-For: 10.1.2.3", "X-Forwarded-Proto: https").body());
    }

    @Test
    void theUserIsTheOneWhosePasswordWasRight() throws Exception {
        Files.writeString(
                folder.resolve("users"),
                "ann:$2y$05$HpqkrF1JN80QFvEGxBpVc.mOv7wf54gKUwbvJFTShM9cSoAAQX196\n");
        serve(
                PLAIN,
                "request-headers = { V-User = \"{user}\" }",
                "basic-auth = { realm = \"R\", users-file = \"users\" }");
        assertEquals(401, get("V-User: root").status());
        String credentials = Base64.getEncoder().encodeToString("ann:secret".getBytes());
        Answer answer = get("V-User: root", "Authorization: Basic " + credentials);
        assertEquals("200 {User=ann}", answer.status() + " " + answer.body());
    }

    /** The same id is in the request, in the response, and in the access log. */
    @Test
    void theIdOfARequestIsThatOfTheLog() throws Exception {
        serve(
                PLAIN + "[access-log]\nfile = \"access.log\"\n",
                "request-headers = { V-Id = \"{request-id}\" },"
                        + " response-headers = { X-Request-Id = \"{request-id}\" }",
                "");
        Answer answer = get();
        String id = answer.field("X-Request-Id");
        assertEquals("{Id=" + id + "}", answer.body());
        Path log = folder.resolve("access.log");
        Eventually.await("the line is written", () -> Files.readString(log).endsWith("\n"));
        assertTrue(Files.readString(log).contains('"' + id + '"'), Files.readString(log));
    }

    @Tag("peers")
    @Test
    void theSubjectOfAClientCertificate() throws Exception {
        Authority authority = Authority.in(folder);
        authority.signs("server");
        authority.signsSubject("client", "O = Acme, Inc.", "CN = J\u00fcrgen\\nX-Evil: 1");
        serve(
                """
                [[listen]]
                address = "127.0.0.1:0"
                tls = true
                [tls]
                client-certificates = "wanted"
                client-authorities = "authority.pem"
                [[tls.certificate]]
                chain = "server.pem"
                key = "server.key"
                """,
                "request-headers = { V-Subject = \"{tls-client-subject}\", V-Tls = \"{tls-version}\" }",
                "");
        assertEquals("{Tls=TLSv1.3}", curl());
        assertEquals(
                "{Subject=CN=J\\C3\\BCrgen\\0AX-Evil: 1,O=Acme\\, Inc., Tls=TLSv1.3}",
                curl("--cert", "client.pem", "--key", "client.key"));
    }

    private String curl(String... more) throws Exception {
        var arguments = new ArrayList<>(List.of(more));
        arguments.addAll(List.of("-sS", "--cacert", "authority.pem", "-H", "V-Subject: CN=root"));
        arguments.add("https://localhost:" + running.port() + "/");
        return Tool.CURL.does(folder, arguments.toArray(String[]::new));
    }
}
