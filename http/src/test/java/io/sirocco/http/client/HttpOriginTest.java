// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.http.WebSocketClient;
import io.sirocco.http.WebSocketListener;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts and ports of URLs. */
class HttpOriginTest {
    @ParameterizedTest
    @CsvSource({
        "http://my_stack_app:8080/a, http://my_stack_app:8080, my_stack_app:8080",
        "https://my_app, https://my_app, my_app",
        "http://my_app:/, http://my_app, my_app",
        "http://-a_.test:80?q, http://-a_.test, -a_.test",
        "http://[::1]:81/, http://[::1]:81, [::1]:81",
        "http://A.test:80/, http://a.test, a.test",
        "http://MY_app/, http://my_app, my_app",
        "https://xn--bcher-kva.test:443, https://xn--bcher-kva.test, xn--bcher-kva.test",
    })
    void hosts(String url, String origin, String authority) {
        assertEquals(origin, HttpOrigin.of(url).toString());
        assertEquals(authority, HttpOrigin.of(url).authority());
        assertEquals(authority, ClientRequest.get(url).origin().authority());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://my_app:65536/",
                "http://my_app:99999999999/",
                "http://u:p@my_app/",
                "http://u@a.test/",
                "http://a,b/",
                "http://%61_b/",
                "http:///",
                "ftp://my_app/",
                "http://my_app:0/",
                "http://u:p@a_b@my_app/",
                "http://bücher.test/",
            })
    void others(String url) {
        assertThrows(IllegalArgumentException.class, () -> HttpOrigin.of(url));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://joe:hunter2@a.test/",
                "htp://joe:hunter2@a.test/",
                "http:joe:hunter2@a.test/",
                "http://joe:hun ter2@hunter2@a.test/",
                "http://joe:hunter2@a b.test/",
                "http://joe:hunter2#@a.test/",
                "//joe:hunter2@a.test/",
                "joe:hunter2//tail@a.test/",
                "http:/joe:hunter2//tail@a.test/",
            })
    void aPasswordIsInNoMessage(String url) throws IOException {
        var messages = new ArrayList<String>();
        messages.add(refusal(() -> HttpOrigin.of(url)));
        messages.add(refusal(() -> ClientRequest.get(url)));
        if (!url.contains(" ")) {
            URI uri = URI.create(url);
            messages.add(refusal(() -> ClientRequest.of("GET", uri)));
            URI socket = URI.create(url.replaceFirst("^http", "ws"));
            try (WebSocketClient client = WebSocketClient.start(c -> {})) {
                messages.add(refusal(() -> client.connect(socket, new WebSocketListener() {})));
            }
        }
        messages.forEach(message -> assertFalse(message.contains("ter2"), message));
    }

    private static String refusal(Executable call) {
        return assertThrows(IllegalArgumentException.class, call).getMessage();
    }
}
