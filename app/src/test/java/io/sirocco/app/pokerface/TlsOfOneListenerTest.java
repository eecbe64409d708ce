// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Two addresses of one server, each with certificates and versions of its own. */
@OnEachTransport
class TlsOfOneListenerTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;

    private String toml(String chain, String versions) {
        return """
        [[listen]]
        address = "127.0.0.1:0"
        tls = true
        [[listen]]
        address = "127.0.0.2:0"
        [listen.tls]
        versions = [%s]
        [[listen.tls.certificate]]
        chain = "%s.pem"
        key = "%s.key"
        [[listen]]
        address = "127.0.0.3:0"
        [tls]
        [[tls.certificate]]
        chain = "a.pem"
        key = "a.key"
        """
                .formatted(versions, chain, chain);
    }

    private void certificate(String name) throws Exception {
        Tool.OPENSSL.does(
                folder,
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                "/CN=" + name,
                "-days",
                "2",
                "-keyout",
                name + ".key",
                "-out",
                name + ".pem");
    }

    private String shown(int i, int port, String... more) throws Exception {
        var words =
                new java.util.ArrayList<>(
                        List.of("s_client", "-connect", "127.0.0." + i + ":" + port));
        words.addAll(List.of(more));
        String out = Tool.OPENSSL.run(folder, words.toArray(String[]::new)).out();
        int at = out.indexOf("subject=");
        return at < 0 ? "" : out.substring(at + 8, out.indexOf('\n', at)).replace(" ", "");
    }

    @Tag("peers")
    @Test
    void eachShowsItsOwnCertificate() throws Exception {
        for (String name : new String[] {"a", "b", "c"}) certificate(name);
        try (Running running = Running.of(folder, transport, toml("b", "\"1.3\""))) {
            List<Integer> ports = running.ports();
            assertEquals("CN=a", shown(1, ports.get(0)));
            assertEquals("CN=b", shown(2, ports.get(1)));
            assertEquals("CN=a", shown(1, ports.get(0), "-tls1_2"));
            assertEquals("", shown(2, ports.get(1), "-tls1_2"));
            assertEquals("", shown(3, ports.get(2)));
            running.reload(toml("c", "\"1.2\", \"1.3\""));
            assertEquals("CN=a", shown(1, ports.get(0)));
            assertEquals("CN=c", shown(2, ports.get(1)));
            assertEquals("CN=c", shown(2, ports.get(1), "-tls1_2"));
            Files.writeString(folder.resolve("c.pem"), "nonsense");
            assertThrows(Exception.class, () -> running.reload(toml("c", "\"1.3\"")));
            assertEquals("CN=c", shown(2, ports.get(1), "-tls1_2"));
        }
    }

    @Test
    void whatIsWrongIsToldAtItsPlace() throws IOException {
        Files.writeString(folder.resolve("a.pem"), "nonsense");
        Files.writeString(folder.resolve("a.key"), "nonsense");
        Files.writeString(folder.resolve("b.pem"), "nonsense");
        Files.writeString(folder.resolve("b.key"), "nonsense");
        String said =
                Running.refusal(
                        folder, transport, toml("b", "\"1.3\"").replaceFirst("tls = true\n", ""));
        assertTrue(said.contains("sirocco.toml:8:9: error: cannot use "), said);
        assertTrue(said.contains("sirocco.toml:14:9: error: cannot use "), said);
    }
}
