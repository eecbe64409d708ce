// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * In the old server one TLS listener turned all others into TLS. {@code
 * net.OneTlsListenerDoesNotTurnOthersIntoTlsTest} shows the same below HTTP.
 */
@Tag("peers")
@OnEachTransport
class TlsBesidePlainListenersTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;

    @Test
    void eachAddressSpeaksWhatItWasToldTo() throws Exception {
        Authority.in(folder).signs("one.test");
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("page"), "page");
        String toml =
                """
                [[listen]]
                address = "127.0.0.1:0"
                [[listen]]
                address = "127.0.0.1:0"
                tls = true
                [[listen]]
                address = "127.0.0.1:0"
                [[listen]]
                address = "127.0.0.1:0"
                tls = true
                [[tls.certificate]]
                chain = "one.test.pem"
                key = "one.test.key"
                [[site]]
                root = "site"
                """;
        try (var running = Running.of(folder, transport, toml)) {
            for (int nth = 0; nth < 4; nth++) {
                int port = running.ports().get(nth);
                String right = nth % 2 == 0 ? "http" : "https";
                assertTrue(running.toString().contains(right + "://127.0.0.1:" + port));
                assertEquals("page200", curl(right, port));
            }
            for (int nth = 1; nth < 4; nth += 2) { // HTTP on the port of HTTPS: a line that says so
                assertTrue(curl("http", running.ports().get(nth)).endsWith("400"));
            }
            for (int nth = 0; nth < 4; nth += 2) {
                Tool.Result result =
                        Tool.CURL.run(
                                folder,
                                "-sk",
                                "--max-time",
                                "20",
                                "https://127.0.0.1:" + running.ports().get(nth));
                assertEquals(35, result.exit(), "curl's code for: no TLS there");
            }
        }
    }

    private String curl(String scheme, int port) throws Exception {
        return Tool.CURL.does(
                folder,
                "-sS",
                "--max-time",
                "20",
                "--cacert",
                "authority.pem",
                "-w",
                "%{http_code}",
                "%s://127.0.0.1:%d/page".formatted(scheme, port));
    }
}
