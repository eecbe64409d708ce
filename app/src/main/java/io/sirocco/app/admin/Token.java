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
 * The secret of the operators. What is sent to us is compared by its SHA-256 in constant time, so
 * that neither its bytes nor its length show in the time that takes. Immutable.
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
     * The token in a file; where there is no such file, a new one is made and written there, for
     * its owner alone.
     *
     * @throws IOException with a message for the operator
     */
    static Token in(Path file) throws IOException {
        try {
            if (!Files.exists(file)) {
                create(file);
            }
            if (Files.size(file) > LONGEST) {
                throw new IOException("the token file " + file + " is too large for a token");
            }
            String secret = Files.readString(file, UTF_8).strip();
            if (secret.length() < SHORTEST) {
                throw new IOException(
                        "the token in %s has %d characters, and needs %d; delete the file to get a"
                                        .formatted(file, secret.length(), SHORTEST)
                                + " good one");
            }
            warnOfReaders(file);
            return new Token(secret);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot make the token file %s: there is no directory %s"
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
        LOG.get().log(Level.INFO, "made a token for the admin server in {0}", file);
    }

    private static void warnOfReaders(Path file) throws IOException {
        if (posix(file)
                && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "others than its owner may use the admin token {0}; chmod 600 keeps them out",
                            file);
        }
    }

    private static boolean posix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Whether this is the secret. */
    boolean is(String secret) {
        return MessageDigest.isEqual(digest, sha256(secret));
    }

    /** The value of the cookie that stands for it in a browser: it does not tell the secret. */
    String session() {
        return session;
    }

    /** Whether this is the cookie's value. */
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
