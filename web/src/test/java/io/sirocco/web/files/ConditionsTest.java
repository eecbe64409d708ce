// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9110 13.2.2, line by line. The file was changed on 29 February 2024 at 12:34:56. */
@OnEachTransport
class ConditionsTest {
    @Parameter TransportKind transport;
    @TempDir Path root;
    private Serving serving;
    private String tag;

    @BeforeEach
    void serve() throws IOException {
        Path file = root.resolve("style.css");
        Files.writeString(file, "p {}");
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2024-02-29T12:34:56Z")));
        serving =
                new Serving(
                        transport,
                        root,
                        options -> options.cacheControl(List.of("*.css"), "max-age=60"));
        tag = serving.get("/style.css").field("ETag");
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "If-None-Match: TAG                                      | 304",
                "If-None-Match: W/TAG                                    | 304",
                "If-None-Match: *                                        | 304",
                "If-None-Match: \"a\", W/\"b\",TAG                       | 304",
                "If-None-Match: \"a\", \"b\"                             | 200",
                "If-None-Match: nonsense                                 | 200",
                "If-Modified-Since: Thu, 29 Feb 2024 12:34:56 GMT        | 304",
                "If-Modified-Since: Fri, 01 Mar 2024 00:00:00 GMT        | 304",
                "If-Modified-Since: Thursday, 29-Feb-24 12:34:56 GMT     | 304",
                "If-Modified-Since: Thu Feb 29 12:34:56 2024             | 304",
                "If-Modified-Since: Thu, 29 Feb 2024 12:34:55 GMT        | 200",
                "If-Modified-Since: yesterday                            | 200",
                "If-None-Match: \"a\"; If-Modified-Since: Fri, 01 Mar 2024 00:00:00 GMT | 200",
                "If-None-Match: TAG; If-Modified-Since: Thu, 29 Feb 2024 12:34:55 GMT   | 304",
                "If-Match: TAG                                           | 200",
                "If-Match: *                                             | 200",
                "If-Match: \"a\", TAG                                    | 200",
                "If-Match: W/TAG                                         | 412",
                "If-Match: \"a\"                                         | 412",
                "If-Unmodified-Since: Thu, 29 Feb 2024 12:34:56 GMT      | 200",
                "If-Unmodified-Since: Thu, 29 Feb 2024 12:34:55 GMT      | 412",
                "If-Unmodified-Since: yesterday                          | 200",
                "If-Match: TAG; If-Unmodified-Since: Thu, 29 Feb 2024 12:34:55 GMT | 200",
                "If-Match: TAG; If-None-Match: TAG                       | 304",
                "If-Match: \"a\"; If-None-Match: TAG                     | 412",
                "If-None-Match: \"a\"; If-None-Match: TAG                | 304",
                "If-None-Match: \"a\"; If-None-Match: \"b\"              | 200",
                "If-Match: \"a\"; If-Match: TAG                          | 200",
                "If-Match: \"a\"; If-Match: \"b\"                        | 412",
            })
    void conditionsInTheirOrder(String fields, int status) throws IOException {
        String[] all = fields.replace("TAG", tag).split("; ");
        for (String method : List.of("GET", "HEAD")) {
            Answer answer = serving.ask(method, "/style.css", all);
            assertEquals(status, answer.status(), method);
            assertEquals(tag, answer.field("ETag"), method);
            String caching = status == 412 ? "" : "max-age=60"; // or a cache would keep the 412
            assertEquals(caching, answer.field("Cache-Control"), method);
        }
    }

    @Test
    void aNotModifiedResponseHasNoFieldsOfTheBody() throws IOException {
        Answer answer = serving.get("/style.css", "If-None-Match: " + tag);
        assertEquals("", answer.field("Content-Type"));
        assertEquals("", answer.field("Content-Length"));
        assertEquals("", answer.field("Last-Modified")); // RFC 9110 15.4.5: the tag will do
        assertFalse(answer.field("Date").isEmpty());
    }

    @Test
    void theTagFollowsTheContent() throws IOException {
        Path file = root.resolve("style.css");
        var time = Files.getLastModifiedTime(file);
        Path other = Files.writeString(root.resolve("new"), "q {}"); // of the same length and time
        Files.setLastModifiedTime(other, time);
        Files.move(other, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        serving.age();
        Answer answer = serving.get("/style.css", "If-None-Match: " + tag);
        assertEquals(200, answer.status());
        assertEquals("q {}", answer.text());
        assertTrue(answer.field("ETag").startsWith("\""), "strong");
    }

    @Test
    void aFileOfTheFutureWasChangedNow() throws IOException {
        Path file = root.resolve("future.css");
        Files.writeString(file, "p {}");
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
        String modified = serving.get("/future.css").field("Last-Modified");
        assertFalse(modified.contains("2100"), modified); // RFC 9110 8.8.2.1
    }
}
