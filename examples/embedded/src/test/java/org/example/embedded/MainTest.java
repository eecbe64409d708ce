// SPDX-License-Identifier: Apache-2.0
package org.example.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Server;
import io.sirocco.net.Loops;
import java.net.URI;
import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void greets() throws Exception {
        try (Server server = Main.start(0)) {
            URI address = URI.create("http://127.0.0.1:" + server.port() + "/hello/Maven");
            try (var response = address.toURL().openStream()) {
                assertEquals("Hello, Maven", new String(response.readAllBytes()));
            }
        }
    }

    @Test
    void theOptionsInThePomReachTheEventLoops() {
        assertTrue(Loops.carriesVirtualThreads());
    }
}
