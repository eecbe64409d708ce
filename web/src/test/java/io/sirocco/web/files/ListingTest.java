// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ListingTest {
    private static final Pattern LINK = Pattern.compile("<tr><td><a href=\"([^\"]*)\"");

    @TempDir Path root;
    private Serving serving;

    @BeforeEach
    void serve() throws IOException {
        write("files/b.txt", 10, "2024-02-29T12:34:56Z");
        write("files/A.txt", 2_000, "2023-01-01T00:00:00Z");
        write("files/c d & <e>.txt", 1, "2022-01-01T00:00:00Z");
        write("files/sub/x.txt", 1, "2022-01-01T00:00:00Z");
        write("files/.hidden", 1, "2022-01-01T00:00:00Z");
        serving = new Serving(TransportKind.AUTO, root, options -> options.listing(true));
    }

    private void write(String name, int size, String modified) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[size]);
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse(modified)));
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    @ParameterizedTest
    @CsvSource({
        "'',              ../ sub/ A.txt b.txt c%20d%20%26%20%3Ce%3E.txt",
        "?sort=name,      ../ sub/ A.txt b.txt c%20d%20%26%20%3Ce%3E.txt",
        "?sort=-name,     ../ sub/ c%20d%20%26%20%3Ce%3E.txt b.txt A.txt",
        "?sort=size,      ../ sub/ c%20d%20%26%20%3Ce%3E.txt b.txt A.txt",
        "?sort=-size,     ../ sub/ A.txt b.txt c%20d%20%26%20%3Ce%3E.txt",
        "?sort=modified,  ../ sub/ c%20d%20%26%20%3Ce%3E.txt A.txt b.txt",
        "?sort=-modified, ../ sub/ b.txt A.txt c%20d%20%26%20%3Ce%3E.txt",
        "?sort=nonsense,  ../ sub/ A.txt b.txt c%20d%20%26%20%3Ce%3E.txt",
    })
    void directoriesFirstAndThenAsAsked(String query, String links) throws IOException {
        Answer answer = serving.get("/files/" + query);
        assertEquals(200, answer.status());
        List<String> found =
                LINK.matcher(answer.text()).results().map(match -> match.group(1)).toList();
        assertEquals(List.of(links.split(" ")), found);
    }

    @Test
    void aPageForPeople() throws IOException {
        Answer answer =
                serving.get("/files/", "Accept: text/html,application/json;q=0.9,*/*;q=0.8");
        String page = answer.text();
        assertEquals("text/html; charset=utf-8", answer.field("Content-Type"));
        assertEquals("Accept", answer.field("Vary"));
        assertTrue(page.startsWith("<!DOCTYPE html>"), page);
        assertTrue(page.contains("c d &amp; &lt;e&gt;.txt</a>"), page);
        assertFalse(page.contains("<e>"), page);
        assertTrue(page.contains("<td>1.95 KiB</td>"), page);
        assertTrue(page.contains("<time datetime=\"2024-02-29T12:34:56Z\">2024-02-29 12:34<"));
        assertTrue(page.contains("<h1><a href=\"../\">root</a> / files</h1>"), page);
        assertFalse(page.contains(".hidden"), page);
        assertFalse(page.contains("<script"), page);
    }

    @Test
    void aQueryCannotWriteIntoThePage() throws IOException {
        String page = serving.get("/files/?sort=\"><b>x").text();
        assertFalse(page.contains("<b>"), page);
    }

    @Test
    void aDocumentForPrograms() throws IOException {
        Answer answer = serving.get("/files/?sort=size", "Accept: application/json");
        assertEquals("application/json", answer.field("Content-Type"));
        assertEquals(
                """
                {"path": "/files/", "entries": [
                {"name": "sub", "type": "directory", "size": 0, "modified": "TIME"},
                {"name": "c d & <e>.txt", "type": "file", "size": 1, "modified": "2022-01-01T00:00:00Z"},
                {"name": "b.txt", "type": "file", "size": 10, "modified": "2024-02-29T12:34:56Z"},
                {"name": "A.txt", "type": "file", "size": 2000, "modified": "2023-01-01T00:00:00Z"}
                ], "truncated": false}
                """,
                answer.text().replaceFirst("(0, \"modified\": \")[^\"]*", "$1TIME"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json              | true",
                "application/json, */*         | true",
                "application/json;q=0.9, */*;q=0.1 | true",
                "text/html, application/json;q=0.9 | false",
                "*/*                           | false",
                "text/html                     | false",
                "application/json;q=0          | false",
                "application/json;q=x          | false",
                "nonsense json                 | false",
            })
    void whoWouldRatherHaveJson(String accept, boolean json) {
        assertEquals(json, Accept.prefersJson(accept));
    }

    @Test
    void moreThanAPageFulIsCutOff() throws IOException {
        Path many = Files.createDirectory(root.resolve("many"));
        for (int i = 0; i <= Listing.MAX; i++) {
            Files.createFile(many.resolve(Integer.toString(i)));
        }
        String page = serving.get("/many/").text();
        assertEquals(Listing.MAX + 1, LINK.matcher(page).results().count()); // and ../
        assertTrue(page.contains("more files than the 10,000"), "it says so");
        assertTrue(
                serving.get("/many/", "Accept: application/json")
                        .text()
                        .endsWith("\"truncated\": true}\n"));
    }

    @Test
    void anEmptyDirectoryAndItsHead() throws IOException {
        Files.createDirectory(root.resolve("empty"));
        assertTrue(serving.get("/empty/").text().contains("is empty"));
        assertEquals(200, serving.ask("HEAD", "/empty/").status());
        assertEquals(301, serving.get("/empty").status());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.00 KiB",
        "1536, 1.50 KiB",
        "10240, 10.0 KiB",
        "1048575, 1024 KiB",
        "1048576, 1.00 MiB",
        "9223372036854775807, 8.00 EiB",
    })
    void sizesHaveThreeDigits(long bytes, String text) {
        assertEquals(text, ListingPage.size(bytes));
    }
}
