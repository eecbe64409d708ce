// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;

/** A folder of a peer, with a script that says what a test wants it to say. */
final class PeerFolder {
    static final String SERVER =
            "exec python3 \"$(dirname \"$0\")/server.py\" \"$2\" \"$3\" \"$4\"";

    private final Path folder;
    private final Map<String, String> calls = new LinkedHashMap<>();

    private PeerFolder(Path folder) {
        this.folder = folder;
        on("language", "echo Python");
        on("works", "echo plaintext pipelined churn virtual echo19 files fire-io-rest");
        on("absent", ":");
        on("build", "mkdir -p \"$2\"");
        on("version", "echo 1.2.3");
        on("notes", "echo one thread for each connection");
        on("run", SERVER);
    }

    /** A peer that does all works as it should, in {@code peers/name}. */
    static PeerFolder of(Path peers, String name) {
        return new PeerFolder(peers.resolve(name));
    }

    /** What a call does, in bash. */
    PeerFolder on(String call, String script) {
        calls.put(call, script);
        return this;
    }

    Path write() throws IOException {
        Files.createDirectories(folder);
        var script = new StringBuilder("#!/usr/bin/env bash\ncase $1 in\n");
        calls.forEach((call, body) -> script.append(call).append(")\n" + body + "\n;;\n"));
        Path peer = folder.resolve("peer");
        Files.writeString(peer, script.append("esac\n"));
        Files.setPosixFilePermissions(peer, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (InputStream server = PeerFolder.class.getResourceAsStream("server.py")) {
            Files.write(folder.resolve("server.py"), server.readAllBytes());
        }
        return folder;
    }
}
