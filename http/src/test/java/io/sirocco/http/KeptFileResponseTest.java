// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A response of a file that is kept sends the file as it is, not as long as it was. */
class KeptFileResponseTest {
    @TempDir Path folder;

    @Test
    void aFileThatGrowsAndShrinksIsSentWhole() throws Exception {
        Path file = folder.resolve("log.txt");
        for (Mode mode : Mode.values()) {
            Files.writeString(file, "one");
            Response kept = Response.file(file);
            try (var serving =
                            new Serving(
                                    TransportKind.AUTO,
                                    mode,
                                    c -> {},
                                    routes -> routes.get("/", r -> kept));
                    Client client = serving.client()) {
                for (String text : new String[] {"one", "one and two", "no"}) {
                    Files.writeString(file, text);
                    client.send("GET / HTTP/1.1\nHost: a\n\n");
                    String all = client.until("\r\n\r\n" + text);
                    assertTrue(
                            all.contains("\r\nContent-Length: " + text.length() + "\r\n"),
                            mode + ": " + all);
                }
            }
        }
    }

    /** As its documentation says: it is all of the file, and has no validators. */
    @Test
    void conditionsAndRangesAreIgnored() throws Exception {
        Path file = Files.writeString(folder.resolve("whole.txt"), "0123456789");
        try (var serving =
                        new Serving(
                                TransportKind.AUTO,
                                c -> {},
                                routes -> routes.get("/", r -> Response.file(file)));
                Client client = serving.client()) {
            for (String field :
                    new String[] {
                        "Range: bytes=2-3",
                        "If-None-Match: *",
                        "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"
                    }) {
                client.send("GET / HTTP/1.1\nHost: a\n" + field + "\n\n");
                String all = client.until("\r\n\r\n0123456789");
                assertTrue(all.startsWith("HTTP/1.1 200 "), all);
                for (String name : new String[] {"ETag", "Last-Modified", "Accept-Ranges"}) {
                    assertTrue(!all.contains("\r\n" + name + ":"), all);
                }
            }
        }
    }
}
