// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.peer.Npm;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official client of JavaScript, in Node, over each transport. */
@Tag("peers")
class OfficialJavaScriptClientTest {

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "upgrade"})
    void isServed(String transport) throws IOException {
        var npm = new Npm("socket.io-client");
        try (var here = new Acquaintance()) {
            String port = Integer.toString(here.port());
            String facts = String.join("\n", npm.run("client.js", port, transport));
            assertEquals(Acquaintance.expected(), facts);
        }
    }
}
