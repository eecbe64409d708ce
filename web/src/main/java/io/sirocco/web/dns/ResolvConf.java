// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.dns;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The name servers of the system and how they are asked: {@code nameserver}, {@code search}, {@code
 * domain}, and the options {@code ndots}, {@code timeout} and {@code attempts} of resolv.conf(5).
 * Immutable.
 *
 * @param search the domains in which a name is looked for
 * @param dots a name with so many is looked for as it is first
 */
record ResolvConf(
        List<InetSocketAddress> servers,
        List<String> search,
        int dots,
        Duration timeout,
        int attempts) {
    private static final int MAX_SERVERS = 3;
    private static final int MAX_DOMAINS = 32;

    /** Returns a configuration with these servers, without a search list. */
    static ResolvConf of(List<InetSocketAddress> servers) {
        return new ResolvConf(List.copyOf(servers), List.of(), 1, Duration.ofSeconds(2), 2);
    }

    /** Reads a file; what is absent or not understood has its default. */
    static ResolvConf read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            return of(List.of());
        }
    }

    static ResolvConf parse(String text) {
        var servers = new ArrayList<InetSocketAddress>();
        List<String> search = List.of();
        int dots = 1;
        int timeout = 5;
        int attempts = 2;
        for (String line : text.lines().toList()) {
            String[] words = line.strip().split("\\s+");
            List<String> rest = List.of(words).subList(1, words.length);
            switch (words[0]) {
                case "nameserver" -> add(servers, rest);
                case "search", "domain" -> search = rest;
                case "options" -> {
                    for (String option : rest) {
                        String[] parts = option.split(":", 2);
                        int value = parts.length == 2 ? number(parts[1]) : -1;
                        switch (value < 0 ? "" : parts[0]) {
                            case "ndots" -> dots = Math.min(value, 15);
                            case "timeout" -> timeout = Math.clamp(value, 1, 30);
                            case "attempts" -> attempts = Math.clamp(value, 1, 5);
                            default -> {}
                        }
                    }
                }
                default -> {}
            }
        }
        return new ResolvConf(
                List.copyOf(servers.subList(0, Math.min(MAX_SERVERS, servers.size()))),
                List.copyOf(search.subList(0, Math.min(MAX_DOMAINS, search.size()))),
                dots,
                Duration.ofSeconds(timeout),
                attempts);
    }

    private static void add(List<InetSocketAddress> servers, List<String> words) {
        try {
            for (String word : words.subList(0, Math.min(1, words.size()))) {
                servers.add(new InetSocketAddress(InetAddress.ofLiteral(word), 53));
            }
        } catch (IllegalArgumentException e) {
            // as the C library, which skips it
        }
    }

    private static int number(String text) {
        return text.matches("\\d{1,4}") ? Integer.parseInt(text) : -1;
    }

    /** Returns the names to look for, in order. */
    List<String> candidates(String name) {
        if (name.endsWith(".")) {
            return List.of(name);
        }
        var all = new ArrayList<String>();
        for (String domain : search) {
            all.add(name + "." + domain);
        }
        boolean first = name.chars().filter(c -> c == '.').count() >= dots;
        all.add(first ? 0 : all.size(), name);
        return all;
    }
}
