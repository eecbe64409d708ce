// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** A peer that sends on behind its refusal costs a bounded amount. */
@OnEachTransport
class DiscardedInputTest {
    private static final int MOST = 4 << 20;
    private static final int SENT = 256 << 20;

    @Parameter TransportKind transport;
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    @Test
    void aFinishedConnectionStopsReading() throws Exception {
        flood(Connection::finish);
    }

    @Test
    void soDoesOneThatWasRefusedAndFinishesLater() throws Exception {
        flood(
                connection -> {
                    connection.discardInput();
                    connection.loop().schedule(500, connection::finish);
                });
    }

    private void flood(Consumer<Connection> refuse) throws IOException {
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, _, _, to) -> {
                                    refuse.accept(connection);
                                    return to;
                                });
        long sent = 0;
        try (var socket = new Socket()) {
            socket.connect((InetSocketAddress) listener.address());
            var bytes = new byte[1 << 20];
            for (; sent < SENT; sent += bytes.length) {
                socket.getOutputStream().write(bytes);
            }
        } catch (IOException e) {
            // it was closed, at last
        }
        assertTrue(sent < SENT, "it could send all");
        Rig.until("it is over", () -> rig.stats().connections() == 0);
        long in = rig.stats().bytesIn();
        assertTrue(in <= 2 * MOST + Connection.MAX_BUFFERED_INPUT, () -> in + " bytes were read");
    }
}
