// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who comes back need not come back to the loop that it was on. */
class OtherLoopTest {
    private static final int MAX_TRIES = 200;

    private static void tellsItsLoop(Routes routes) {
        routes.route("GET", "/loop", request -> Response.text(Thread.currentThread().getName()))
                .executionMode(ExecutionMode.INLINE);
    }

    /** Two connections, each to a loop of its own. */
    private static Map<String, Poller> onBothLoops(Service service) throws IOException {
        var pollers = new HashMap<String, Poller>();
        for (int i = 0; i < MAX_TRIES && pollers.size() < 2; i++) {
            var poller = new Poller(service.port);
            Poller known = pollers.putIfAbsent(poller.ask("GET /loop", ""), poller);
            if (known != null) {
                poller.close();
            }
        }
        assertEquals(2, pollers.size(), "all connections come to one loop");
        return pollers;
    }

    private static String field(String packet, String name) {
        int from = packet.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return packet.substring(from, packet.indexOf('"', from));
    }

    private static String offset(String packet) {
        String[] parts = packet.split("\"");
        return parts[parts.length - 2];
    }

    @Test
    void aPollingClientRecoversOnAnotherLoop() throws IOException {
        try (var service =
                new Service(c -> c.recovery(Duration.ofMinutes(2)), OtherLoopTest::tellsItsLoop)) {
            service.live.onConnect(client -> client.join("kitchen"));
            service.live.onConnect(client -> service.say("connect"));
            service.live.onClose((client, reason) -> service.say(reason.name()));
            service.live.on("say", (client, a) -> service.say(a.asString(0)));
            var both = onBothLoops(service).values().iterator();
            String hello;
            String last;
            try (Poller here = both.next()) {
                hello = here.connect("");
                assertEquals("connect", service.next());
                service.live.room("kitchen").send("a", 1);
                last = offset(here.poll());
            }
            service.live.room("kitchen").send("b", 2);
            try (Poller there = both.next()) {
                String pid = field(hello, "pid");
                String back =
                        there.connect("{\"pid\":\"" + pid + "\",\"offset\":\"" + last + "\"}");
                assertEquals(field(hello, "sid"), field(back, "sid"));
                String missed = back.contains("\u001e") ? back : there.poll();
                assertTrue(missed.contains("42[\"b\",2,\""), missed);
                assertNotEquals(last, offset(missed));
                service.live.room("kitchen").send("c", 3);
                assertTrue(there.poll().startsWith("42[\"c\",3,\""));
                there.say("42[\"say\",\"it is I\"]");
                assertEquals("it is I", service.next());
                assertEquals(1, service.live.clients().size());
                there.say("41");
                assertEquals("LEFT", service.next());
            }
        }
    }
}
