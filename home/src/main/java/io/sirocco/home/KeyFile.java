// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.file.AtomicFile;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file {@code keys.json} of a controller: the project key, the PIN, and where the key comes
 * from. Any thread.
 */
final class KeyFile {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");

    private final Path file;

    /**
     * The content. Immutable.
     *
     * @param key the project key
     * @param pin 8 ASCII characters, the "private key" on the sticker of a real controller
     * @param adopted whether a client has set the project key
     * @param ofProject whether it is, or was at the last start, that of {@code project.omp}. Of a
     *     generated key, neither holds
     */
    record Content(CipherKey key, String pin, boolean adopted, boolean ofProject) {
        Content(CipherKey key, String pin, boolean adopted) {
            this(key, pin, adopted, false);
        }

        /** Returns the same with a key that a client sets. */
        Content withProjectKey(CipherKey newKey) {
            return new Content(newKey, pin, true, false);
        }

        /** Returns the same with the key of {@code project.omp}. */
        Content withKeyOfProject(CipherKey newKey) {
            return new Content(newKey, pin, false, true);
        }

        /** Returns whether others know the key, so that none but it need be accepted. */
        boolean hasProjectKey() {
            return adopted || ofProject;
        }

        /** Shows no secret. */
        @Override
        public String toString() {
            return "keys of a controller, " + (hasProjectKey() ? "adopted" : "not adopted yet");
        }
    }

    KeyFile(Path folder) {
        this.file = folder.resolve("keys.json");
    }

    /**
     * Reads the file, or creates it with a random PIN and project key. From then on only its owner
     * may read it.
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
        makePrivate();
        try {
            return parse(JSON.readTree(bytes));
        } catch (JacksonException e) { // its message may quote a key
            throw damaged("it is not JSON, from line " + e.getLocation().getLineNr());
        } catch (IllegalArgumentException e) {
            throw damaged(e.getMessage());
        }
    }

    /** A copy of a folder may be readable by others. */
    private void makePrivate() throws IOException {
        var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null || PRIVATE.containsAll(view.readAttributes().permissions())) {
            return;
        }
        try {
            view.setPermissions(PRIVATE);
            LOG.get().log(Level.INFO, "{0} was readable by others; now only its owner may", file);
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} is readable by others, and this process may not change that: make"
                                    + " it readable by its owner only",
                            file);
        }
    }

    void write(Content content) throws IOException {
        var base64 = Base64.getEncoder();
        var node = JSON.createObjectNode();
        node.put("key", base64.encodeToString(content.key.key().toArray()));
        node.put("iv", base64.encodeToString(content.key.iv().toArray()));
        node.put("pin", base64.encodeToString(content.pin.getBytes(StandardCharsets.US_ASCII)));
        node.put("adopted", content.adopted);
        node.put("ofProject", content.ofProject);
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
        byte[] pin = new byte[CipherKey.PIN_LENGTH / 2];
        random.nextBytes(pin);
        return new Content(
                CipherKey.random(random), HexFormat.of().withUpperCase().formatHex(pin), false);
    }

    private static Content parse(JsonNode node) {
        String pin =
                new String(bytes(node, "pin", CipherKey.PIN_LENGTH), StandardCharsets.US_ASCII);
        JsonNode adopted = node.get("adopted"); // the reference has no such members
        JsonNode ofProject = node.get("ofProject");
        var key =
                new CipherKey(
                        Bytes.of(bytes(node, "key", CipherKey.LENGTH)),
                        Bytes.of(bytes(node, "iv", CipherKey.LENGTH)));
        return new Content(
                key,
                pin,
                adopted == null || isTrue(adopted, "adopted"),
                ofProject != null && isTrue(ofProject, "ofProject"));
    }

    private static boolean isTrue(JsonNode value, String name) {
        if (!value.isBoolean()) {
            throw new IllegalArgumentException("\"" + name + "\" is neither true nor false");
        }
        return value.booleanValue();
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
