// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The packages of this module depend on each other in one direction. Each may use the API package
 * {@code io.sirocco.http}, whose classes in turn start what the packages implement, and those that
 * stand before it in {@link #ORDER}.
 */
class RoomsTest {
    /** From the bottom up. */
    private static final List<String> ORDER =
            List.of(
                    "message", // headers, paths and dates: what a message consists of
                    "route", // finds the handler of a request
                    "loop", // what protocols need of their event loop
                    "body", // request bodies, multipart
                    "websocket", // WebSocket, independent of the version of HTTP
                    "exchange", // a request and its response, independent of the version of HTTP
                    "h1", // HTTP/1.1: parsers, the server's connection
                    "client"); // the HTTP client

    private static final Path SOURCES = Path.of("src/main/java/io/sirocco/http");
    private static final Pattern USE = Pattern.compile("\\bio\\.sirocco\\.http\\.([a-z0-9]+)\\.");

    @Test
    void noPackageUsesOneAboveIt() throws IOException {
        var wrong = new ArrayList<String>();
        for (String room : ORDER) {
            for (Path file : sources(SOURCES.resolve(room))) {
                for (String used : rooms(file)) {
                    if (ORDER.indexOf(used) > ORDER.indexOf(room)) {
                        wrong.add(room + " uses " + used + ": " + file.getFileName());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void exchangesKnowNoVersionOfHttp() throws IOException {
        for (Path file : sources(SOURCES.resolve("exchange"))) {
            assertTrue(!rooms(file).contains("h1"), file::toString);
        }
    }

    /** But for the registration with a balancer, which sends requests. */
    @Test
    void theServerKnowsNoClient() throws IOException {
        for (Path file : sources(SOURCES)) {
            boolean registers = file.endsWith("Registration.java");
            assertTrue(registers || !rooms(file).contains("client"), file::toString);
        }
    }

    @Test
    void everyPackageHasItsPlaceInTheOrder() throws IOException {
        try (Stream<Path> all = Files.list(SOURCES)) {
            assertEquals(
                    new TreeSet<>(ORDER),
                    new TreeSet<>(
                            all.filter(Files::isDirectory)
                                    .map(each -> each.getFileName().toString())
                                    .toList()));
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> found = all.filter(each -> each.toString().endsWith(".java")).toList();
            assertTrue(!found.isEmpty(), () -> folder + " has no sources");
            return found;
        }
    }

    /** Returns the packages that a file uses: by imports, or by full names in its code. */
    private static TreeSet<String> rooms(Path file) throws IOException {
        var rooms = new TreeSet<String>();
        for (String line : Files.readAllLines(file)) {
            String code = line.strip();
            if (!code.startsWith("*") && !code.startsWith("/") && !code.startsWith("package ")) {
                USE.matcher(code).results().forEach(use -> rooms.add(use.group(1)));
            }
        }
        return rooms;
    }
}
