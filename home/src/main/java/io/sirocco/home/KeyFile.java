// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file {@code keys.json} of a controller: the project key, the PIN, and whether Object Manager
 * has set the key. Any thread.
 */
final class KeyFile {
    private static final int KEY_BYTES = 16;
    private static final int PIN_LENGTH = 8;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path file;

    /**
     * The content. Immutable, apart from the arrays, which nobody writes to.
     *
     * @param key the 16 bytes of the project key
     * @param iv its initialization vector, 16 bytes
     * @param pin 8 ASCII characters, the "private key" on the sticker of a real controller
     * @param adopted whether a client has set the project key; false for a generated one
     */
    record Content(byte[] key, byte[] iv, String pin, boolean adopted) {
        Content withProjectKey(byte[] newKey, byte[] newIv) {
            return new Content(newKey, newIv, pin, true);
        }

        /** Shows no secret. */
        @Override
        public String toString() {
            return "keys of a controller, " + (adopted ? "adopted" : "not adopted yet");
        }
    }

    KeyFile(Path folder) {
        this.file = folder.resolve("keys.json");
    }

    /**
     * Reads the file, or creates it with a random PIN and project key.
     *
     * @throws IOException if it cannot be read or is damaged; the message says how to go on
     */
    Content open() throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            Content fresh = generate();
            write(fresh);
            return fresh;
        }
        try {
            return parse(JSON.readTree(bytes));
        } catch (JacksonException e) { // its message may quote a key
            throw damaged("it is not JSON, from line " + e.getLocation().getLineNr());
        } catch (IllegalArgumentException e) {
            throw damaged(e.getMessage());
        }
    }

    void write(Content content) throws IOException {
        var base64 = Base64.getEncoder();
        var node = JSON.createObjectNode();
        node.put("key", base64.encodeToString(content.key));
        node.put("iv", base64.encodeToString(content.iv));
        node.put("pin", base64.encodeToString(content.pin.getBytes(StandardCharsets.US_ASCII)));
        node.put("adopted", content.adopted);
        AtomicFile.writePrivate(file, JSON.writeValueAsBytes(node));
    }

    private IOException damaged(String why) {
        return new IOException(
                file
                        + " is damaged: "
                        + why
                        + ". Restore it from a backup. Without one, move it away: the controller"
                        + " creates another, and Object Manager must adopt it again.");
    }

    private static Content generate() {
        var random = new SecureRandom();
        byte[] secret = new byte[2 * KEY_BYTES];
        random.nextBytes(secret);
        byte[] pin = new byte[PIN_LENGTH / 2];
        random.nextBytes(pin);
        return new Content(
                Arrays.copyOf(secret, KEY_BYTES),
                Arrays.copyOfRange(secret, KEY_BYTES, 2 * KEY_BYTES),
                HexFormat.of().withUpperCase().formatHex(pin),
                false);
    }

    private static Content parse(JsonNode node) {
        String pin = new String(bytes(node, "pin", PIN_LENGTH), StandardCharsets.US_ASCII);
        JsonNode adopted = node.get("adopted"); // the reference has no such member
        return new Content(
                bytes(node, "key", KEY_BYTES),
                bytes(node, "iv", KEY_BYTES),
                pin,
                adopted == null || adopted.asBoolean());
    }

    private static byte[] bytes(JsonNode node, String name, int length) {
        JsonNode value = node.get(name);
        if (value == null || !value.isString()) {
            throw new IllegalArgumentException("the member \"" + name + "\" is missing");
        }
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(value.stringValue());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + name + "\" is not Base64");
        }
        if (bytes.length != length) {
            throw new IllegalArgumentException(
                    "\"%s\" has %d bytes, not %d".formatted(name, bytes.length, length));
        }
        return bytes;
    }
}
