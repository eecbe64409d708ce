// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The project key of a controller, from its {@code keys.json}. Immutable. */
record CluKeys(byte[] key, byte[] iv) {
    static CluKeys read(Path file) throws IOException {
        JsonNode content;
        try {
            content = JsonMapper.shared().readTree(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file);
        } catch (JacksonException e) { // its message may quote a key
            throw new IOException(file + " is not JSON");
        }
        return new CluKeys(member(file, content, "key"), member(file, content, "iv"));
    }

    private static byte[] member(Path file, JsonNode content, String name) throws IOException {
        try {
            return Base64.getDecoder().decode(content.path(name).asString());
        } catch (IllegalArgumentException | JacksonException e) {
            throw new IOException("\"" + name + "\" in " + file + " is not Base64");
        }
    }
}
