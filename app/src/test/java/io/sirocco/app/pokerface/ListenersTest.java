// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every form of an address, and several of them at once. */
@OnEachTransport
class ListenersTest {
    private static final String SITE = "[[site]]\nroot = \"site\"\n";

    @Parameter TransportKind transport;
    @TempDir Path folder;

    @BeforeEach
    void make() throws IOException {
        Files.createDirectory(folder.resolve("site"));
        Files.writeString(folder.resolve("site/page"), "page");
    }

    private static String get(String host, int port) throws IOException {
        try (var client = new Client(new Socket(InetAddress.getByName(host), port))) {
            client.send("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            return client.last().body();
        }
    }

    @Test
    void severalAddressesEachAnswer() throws Exception {
        String listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n";
        try (var running = Running.of(folder, transport, listen.repeat(3) + SITE)) {
            assertEquals(3, new HashSet<>(running.ports()).size());
            for (int port : running.ports()) {
                assertEquals("page", get("127.0.0.1", port));
            }
        }
    }

    @Test
    void withoutAHostItIsEveryAddressOfTheMachine() throws Exception {
        try (var running = Running.of(folder, transport, "[[listen]]\naddress = \":0\"\n" + SITE)) {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                if (!each.isUp()) continue;
                for (InetAddress address : each.inetAddresses().toList()) {
                    if (address instanceof java.net.Inet4Address) {
                        assertEquals("page", get(address.getHostAddress(), running.port()));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"[::1]:0, ::1", "localhost:0, 127.0.0.1"})
    void anIpv6AddressAndAName(String address, String host) throws Exception {
        assumeTrue(!host.contains(":") || hasIpv6(), "this machine has no IPv6");
        String toml = "[[listen]]\naddress = \"%s\"\n".formatted(address) + SITE;
        try (var running = Running.of(folder, transport, toml)) {
            assertEquals("page", get(host, running.port()));
            assertTrue(running.toString().contains(host.contains(":") ? "[::1]:" : "127.0.0.1:"));
        }
    }

    private static boolean hasIpv6() throws IOException {
        return NetworkInterface.getByInetAddress(InetAddress.ofLiteral("::1")) != null;
    }

    @Tag("peers")
    @Test
    void aUnixSocketBesideAPort() throws Exception {
        String toml =
                "[[listen]]\naddress = \"unix:here.sock\"\n[[listen]]\naddress = \"127.0.0.1:0\"\n"
                        + SITE;
        try (var running = Running.of(folder, transport, toml)) {
            assertEquals("page", get("127.0.0.1", running.ports().getFirst()));
            String[] arguments = {"-sS", "--unix-socket", "here.sock", "http://a/page"};
            assertEquals("page", Tool.CURL.does(folder, arguments));
        }
        assertFalse(Files.exists(folder.resolve("here.sock")));
    }

    /** The old server's forms and the default ports 80 and 443: here the port is always written. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 'write \"127.0.0.1:8080\"'",
        "http=127.0.0.1:80, is not an address",
        "http://127.0.0.1:80, remove the scheme",
        "::1:80, put an IPv6 address in brackets",
        "127.0.0.1/80, has no port",
        "127.0.0.1:99999, has an invalid port: 99999",
    })
    void whatIsNoAddressIsExplained(String address, String said) {
        String toml = "[[listen]]\naddress = \"%s\"\n".formatted(address) + SITE;
        String refusal = Running.refusal(folder, transport, toml);
        assertTrue(refusal.contains(said), refusal);
        assertTrue(refusal.contains("sirocco.toml:2:"), refusal);
    }

    @Test
    void onePortRedirectsToHttpsOnAnother() throws Exception {
        String toml =
                "[[listen]]\naddress = \"127.0.0.1:%d\"\nredirect-to-https = 8443\n"
                                .formatted(FreePort.tcp())
                        + SITE;
        try (var running = Running.of(folder, transport, toml)) {
            Answer answer = Client.get(running.port(), "/page?q=1");
            assertEquals(308, answer.status());
            assertEquals("https://localhost:8443/page?q=1", answer.field("Location"));
        }
    }
}
