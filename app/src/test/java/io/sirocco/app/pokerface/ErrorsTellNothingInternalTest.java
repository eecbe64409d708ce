// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The old server put the text of exceptions into reason phrases and bodies, in answers of HTTP/1.0.
 * {@code http.QurricaneDefectsTest.aHandlerThatThrowsIsA500ThatTellsNothing} shows it for handlers.
 */
@OnEachTransport
class ErrorsTellNothingInternalTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Path site;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("page"), "page");
        running =
                Running.of(
                        folder,
                        transport,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[site]]
                        root = "site"
                        not-found = "/none.html"
                        cache-check = "0s"
                        """);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private void tellsNothing(Answer answer) {
        assertTrue(
                answer.head().matches("(?s)HTTP/1\\.1 [45]\\d\\d [A-Z][A-Za-z ]+\r\n.*"),
                answer.head());
        String all = answer.head() + answer.body();
        for (String word : new String[] {"java", "Exception", "sirocco.", "errno"}) {
            assertFalse(all.contains(word), all);
        }
        assertFalse(all.contains(folder.toString()), all);
        assertFalse(all.contains(site.getFileName().toString() + "/"), all);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /none HTTP/1.1\r\nHost: a\r\n",
                "GET /%zz HTTP/1.1\r\nHost: a\r\n",
                "GET /page HTTP/1.1\r\n",
                "GET /page HTTP/9.9\r\nHost: a\r\n",
                "GARBAGE\r\n",
                "GET /page HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n",
                "GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: java\r\n",
                "GET /page HTTP/1.1\r\nHost: java.lang.Exception \r\nX\r\n",
                "PATCH /page HTTP/1.1\r\nHost: a\r\n",
                "GET /page HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: java\r\n",
            })
    void noRefusalDoes(String head) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(head + "Connection: close\r\n\r\n");
            tellsNothing(client.last());
        }
    }

    @Test
    void norWhatGoesWrongOnTheDisk() throws IOException {
        assertEquals("page", Client.get(running.port(), "/page").body());
        Files.delete(site.resolve("page"));
        Files.delete(site);
        tellsNothing(Client.get(running.port(), "/page"));
        Files.writeString(site, "a file in the place of the directory");
        tellsNothing(Client.get(running.port(), "/page"));
        Files.delete(site);
        Files.createSymbolicLink(site, site); // leads to itself
        tellsNothing(Client.get(running.port(), "/page"));
        tellsNothing(Client.get(running.port(), "/other"));
    }
}
