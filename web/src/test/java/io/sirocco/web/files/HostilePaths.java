// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import java.util.List;
import java.util.Random;

/**
 * Makes paths that want to lead out of a directory: names, what stands for {@code ..}, and what may
 * separate them, put together by chance and, at times, encoded once or twice more. The same seed
 * makes the same paths.
 */
final class HostilePaths {
    private static final List<String> SEPARATORS =
            List.of(
                    "/",
                    "/",
                    "/",
                    "/",
                    "//",
                    "///",
                    "/./",
                    "/.//",
                    "\\",
                    "/\\",
                    "%2f",
                    "%2F",
                    "%5c",
                    "%5C",
                    "%252f",
                    "%255c",
                    "%c0%af",
                    "%e0%80%af",
                    "%ef%bc%8f",
                    "%u2215",
                    ";/",
                    "/;x/",
                    "%00/",
                    "/%20/",
                    "%09/",
                    "?/",
                    "%3f/",
                    "%23/",
                    ":/",
                    "%3a/");
    private static final List<String> UPWARDS =
            List.of(
                    "..",
                    "..",
                    "..",
                    "...",
                    "....",
                    "%2e%2e",
                    "%2E%2e",
                    ".%2e",
                    "%2e.",
                    "%252e%252e",
                    "%25%32%65%25%32%65",
                    "%c0%ae%c0%ae",
                    "%e0%80%ae%e0%80%ae",
                    "%f0%80%80%ae",
                    "..%00",
                    "..%20",
                    "..%09",
                    "..%0a",
                    "..;",
                    "..%3b",
                    "%ef%bc%8e%ef%bc%8e",
                    "%uff0e%uff0e",
                    ".",
                    "%2e",
                    "",
                    "~",
                    "%7e",
                    "..%c0%80",
                    "..%01",
                    "..%ff");

    private final Random random;
    private final List<String> names;

    /** Paths in which these names stand, each with a slash between its parts. */
    HostilePaths(long seed, List<String> names) {
        this.random = new Random(seed);
        this.names = names;
    }

    /** A request target, which begins with a slash mostly and has no blank. */
    String next() {
        var path = new StringBuilder();
        if (random.nextInt(50) > 0) {
            path.append('/');
        }
        for (int n = 1 + random.nextInt(7); n > 0; n--) {
            path.append(random.nextInt(3) > 0 ? of(UPWARDS) : name());
            if (n > 1) {
                path.append(of(SEPARATORS));
            }
        }
        if (random.nextInt(2) == 0) {
            path.append(of(SEPARATORS)).append(name());
        }
        String made = path.toString();
        return switch (random.nextInt(12)) {
            case 0 -> encoded(made);
            case 1 -> encoded(encoded(made));
            case 2 -> garbled(made);
            case 3 -> "http://a" + made;
            default -> made.isEmpty() ? "/" : made;
        };
    }

    private String name() {
        String name = of(names);
        return random.nextInt(4) == 0 ? name.replace("/", of(SEPARATORS)) : name;
    }

    private String of(List<String> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Some of its characters as percent triplets, a {@code %} among them. */
    private String encoded(String path) {
        var encoded = new StringBuilder("/");
        for (int i = 1; i < path.length(); i++) {
            char c = path.charAt(i);
            boolean keep = random.nextInt(3) > 0;
            encoded.append(keep ? String.valueOf(c) : "%%%02x".formatted((int) c));
        }
        return encoded.toString();
    }

    /** With some bytes that may stand in no name. */
    private String garbled(String path) {
        var garbled = new StringBuilder(path);
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int at = Math.min(garbled.length(), 1 + random.nextInt(garbled.length() + 1));
            garbled.insert(at, "%%%02x".formatted(random.nextInt(256)));
        }
        return garbled.toString();
    }
}
