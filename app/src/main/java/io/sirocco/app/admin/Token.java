// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.Channels;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;

/**
 * The admin token. Received values are compared by their SHA-256 in constant time, so that the time
 * reveals neither its bytes nor its length. Immutable.
 */
final class Token {
    private static final LazyLogger LOG = LazyLogger.of(Token.class);
    private static final int SHORTEST = 16;
    private static final int LONGEST = 4096;
    private static final Set<PosixFilePermission> OTHERS =
            PosixFilePermissions.fromString("---rwxrwx");

    private final byte[] digest;
    private final String session;

    Token(String secret) {
        digest = sha256(secret);
        session = HexFormat.of().formatHex(sha256("session of " + secret));
    }

    /**
     * Reads the token from a file; a missing file is created with a new token, readable for its
     * owner alone.
     *
     * @throws IOException with a message for the operator
     */
    static Token in(Path file) throws IOException {
        try {
            if (!Files.exists(file)) {
                create(file);
            }
            if (Files.size(file) > LONGEST) {
                throw new IOException("the token file " + file + " is too large");
            }
            String secret = Files.readString(file, UTF_8).strip();
            if (secret.length() < SHORTEST) {
                throw new IOException(
                        "the token in %s has %d characters, but needs %d; delete the file to get a"
                                        .formatted(file, secret.length(), SHORTEST)
                                + " new one");
            }
            warnOfReaders(file);
            return new Token(secret);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot create the token file %s: the directory %s does not exist"
                            .formatted(file, file.toAbsolutePath().getParent()),
                    e);
        } catch (AccessDeniedException e) {
            throw new IOException("no permission for the token file " + file, e);
        }
    }

    private static void create(Path file) throws IOException {
        var random = new byte[32];
        new SecureRandom().nextBytes(random);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        FileAttribute<?>[] mode =
                posix(file)
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var out = Channels.newOutputStream(Files.newByteChannel(file, options, mode))) {
            out.write((secret + "\n").getBytes(UTF_8));
        }
        LOG.get().log(Level.INFO, "created a token in {0}", file);
    }

    private static void warnOfReaders(Path file) throws IOException {
        if (posix(file)
                && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "other users can read the admin token {0}; restrict it with chmod 600",
                            file);
        }
    }

    private static boolean posix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Returns whether this is the token. */
    boolean is(String secret) {
        return MessageDigest.isEqual(digest, sha256(secret));
    }

    /** Returns the value of the session cookie, which does not reveal the token. */
    String session() {
        return session;
    }

    /** Returns whether this is the value of the session cookie. */
    boolean isSession(String value) {
        return MessageDigest.isEqual(session.getBytes(UTF_8), value.getBytes(UTF_8));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
