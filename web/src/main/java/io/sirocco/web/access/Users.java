// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.security.crypto.bcrypt.BCrypt;

/**
 * Users and the bcrypt hashes of their passwords, from lines of {@code name:hash} as {@code
 * htpasswd -B} writes them. Empty lines and lines that begin with {@code #} are ignored. Other
 * hashes are refused, since passwords can be computed from them within hours. Immutable.
 */
public final class Users {
    private static final Pattern BCRYPT =
            Pattern.compile("\\$2[aby]\\$(\\d\\d)\\$[./A-Za-z0-9]{53}");
    private static final int LARGEST_FILE = 16 << 20;

    /** 2^16 rounds take some seconds: more are a slip, and one request could hold a core. */
    private static final int MAX_COST = 16;

    private final Map<String, String> hashes;

    /** Checked in the place of that of a name which is not there: takes as long as the slowest. */
    private final String decoy;

    private Users(Map<String, String> hashes) {
        this.hashes = Map.copyOf(hashes);
        String cost =
                hashes.values().stream()
                        .map(hash -> hash.substring(4, 6))
                        .max(String::compareTo)
                        .orElse("10");
        this.decoy = "$2b$" + cost + "$" + ".".repeat(53);
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if a line is invalid, with a message that names file and
     *     line
     */
    public static Users read(Path file) throws IOException {
        if (Files.size(file) > LARGEST_FILE) {
            throw new IllegalArgumentException(file + ": a list of users has 16 MiB at most.");
        }
        List<String> lines;
        try {
            lines = Files.readAllLines(file, UTF_8);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(file + ": is not text in UTF-8.", e);
        }
        var hashes = new HashMap<String, String>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                String wrong = add(line, hashes);
                if (wrong != null) {
                    throw new IllegalArgumentException(file + ":" + (i + 1) + ": " + wrong);
                }
            }
        }
        return new Users(hashes);
    }

    /**
     * Adds a line; returns an error message, or null. The message never repeats what may be a
     * secret.
     */
    private static String add(String line, Map<String, String> hashes) {
        int colon = line.indexOf(':');
        if (colon <= 0) {
            return "no user; a line is name:hash, as \"htpasswd -B FILE NAME\" writes it.";
        }
        String name = line.substring(0, colon);
        String hash = line.substring(colon + 1);
        Matcher bcrypt = BCRYPT.matcher(hash);
        if (!bcrypt.matches()) {
            return "the password of \""
                    + name
                    + "\" "
                    + kind(hash)
                    + "; make a bcrypt hash with \"htpasswd -B FILE "
                    + name
                    + "\".";
        }
        int cost = Integer.parseInt(bcrypt.group(1));
        if (cost < 4 || cost > MAX_COST) {
            return "the hash of \""
                    + name
                    + "\" has the cost "
                    + cost
                    + "; make one of 4 to "
                    + MAX_COST
                    + " with \"htpasswd -B -C 10 FILE "
                    + name
                    + "\".";
        }
        if (hashes.put(name, hash) != null) {
            return "\"" + name + "\" stands there twice; remove one of the lines.";
        }
        return null;
    }

    private static String kind(String hash) {
        if (hash.startsWith("$apr1$") || hash.startsWith("$1$")) {
            return "is hashed with MD5, which is broken in no time";
        }
        if (hash.startsWith("{SHA}") || hash.startsWith("{SSHA}")) {
            return "is hashed with SHA-1, which is broken in no time";
        }
        if (hash.startsWith("$5$") || hash.startsWith("$6$") || hash.startsWith("$y$")) {
            return "is hashed with a crypt of the system, which is not read here";
        }
        if (hash.startsWith("$2")) {
            return "has a bcrypt hash that is not whole or of an unknown kind";
        }
        return hash.matches("[./A-Za-z0-9]{13}")
                ? "is hashed with DES, which is broken in no time"
                : "is not hashed";
    }

    /** How many there are. */
    public int size() {
        return hashes.size();
    }

    /**
     * Returns whether the password is that of the name. Takes tens of milliseconds, and as long for
     * a name that is not there.
     */
    boolean verify(Credentials given) {
        String hash = hashes.get(given.name());
        boolean same = BCrypt.checkpw(given.password(), hash == null ? decoy : hash);
        return same && hash != null;
    }
}
