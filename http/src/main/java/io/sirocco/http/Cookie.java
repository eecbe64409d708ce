// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.Grammar;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Locale;
import java.util.Optional;

/**
 * A cookie to be set: one {@code Set-Cookie} field (RFC 6265 4.1; {@code SameSite}, {@code
 * Partitioned} and the name prefixes from RFC 6265bis 4.1). {@link #of} starts with safe
 * attributes: {@code Path=/; HttpOnly; SameSite=Lax}. An empty path or domain is not sent.
 *
 * <p>What a browser would refuse, and what could carry another header along, is an {@link
 * IllegalArgumentException}. Immutable.
 *
 * @param maxAge its life in whole seconds; zero or less deletes it; wins over {@code expires}
 * @param expires the end of its life; without both it ends with the browser's session
 */
public record Cookie(
        String name,
        String value,
        String path,
        String domain,
        Optional<Duration> maxAge,
        Optional<Instant> expires,
        boolean secure,
        boolean httpOnly,
        SameSite sameSite,
        boolean partitioned) {

    /** Which requests from other sites carry the cookie. */
    public enum SameSite {
        /** None but those that follow a link. */
        LAX("; SameSite=Lax"),
        /** None. */
        STRICT("; SameSite=Strict"),
        /** All; the cookie must be secure. */
        NONE("; SameSite=None"),
        /** As the browser decides: the attribute is not sent. */
        UNSET("");

        private final String attribute;

        SameSite(String attribute) {
            this.attribute = attribute;
        }
    }

    /**
     * RFC 6265 4.1.1: cookie-octet, that is no blank, quotation mark, comma, semicolon, backslash.
     */
    private static final BitSet OCTETS =
            Grammar.set(
                    "!#$%&'()*+-./0123456789:<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
                            + "abcdefghijklmnopqrstuvwxyz{|}~");

    private static final BitSet DOMAIN =
            Grammar.set("-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    /** Checks everything that the class comment promises. */
    public Cookie {
        require(Grammar.isToken(name), "The name", "must be a token: letters, digits, '-', '_'");
        require(
                Grammar.consistsOf(OCTETS, value),
                "The value",
                "may have no blank, '\"', ',', ';', '\\' and only ASCII; use Percent.encode");
        require(
                path.isEmpty() || path.startsWith("/") && isAttribute(path),
                "The path",
                "must begin with '/' and have no ';'; use Percent.encodePath");
        require(
                Grammar.consistsOf(DOMAIN, domain),
                "The domain",
                "must be a host name in ASCII, such as example.com");
        require(
                secure || sameSite != SameSite.NONE && !partitioned,
                "SameSite=None or Partitioned",
                "needs Secure");
        String lower = name.toLowerCase(Locale.ROOT);
        require(secure || !lower.startsWith("__secure-"), "The prefix __Secure-", "needs Secure");
        require(
                !lower.startsWith("__host-") || secure && path.equals("/") && domain.isEmpty(),
                "The prefix __Host-",
                "needs Secure, Path=/ and no Domain");
    }

    /**
     * A cookie of the browser's session that scripts cannot read and other sites cannot send along.
     * It is {@code Secure} when its name begins with {@code __Host-} or {@code __Secure-}.
     */
    public static Cookie of(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        boolean secure = lower.startsWith("__host-") || lower.startsWith("__secure-");
        return new Cookie(
                name,
                value,
                "/",
                "",
                Optional.empty(),
                Optional.empty(),
                secure,
                true,
                SameSite.LAX,
                false);
    }

    /** Removes a cookie that was set with path {@code /}. */
    public static Cookie delete(String name) {
        return of(name, "").withMaxAge(Duration.ZERO).withExpires(Instant.EPOCH);
    }

    /** The same with another path; empty for the folder of the request. */
    public Cookie withPath(String path) {
        return scoped(path, domain, maxAge, expires);
    }

    /** The same for a domain and all hosts below it; empty for this host alone. */
    public Cookie withDomain(String domain) {
        return scoped(path, domain, maxAge, expires);
    }

    /** The same with a life that begins when the browser receives it. */
    public Cookie withMaxAge(Duration age) {
        return scoped(path, domain, Optional.of(age), expires);
    }

    /** The same with an end of its life. */
    public Cookie withExpires(Instant end) {
        return scoped(path, domain, maxAge, Optional.of(end));
    }

    /** The same, sent through TLS only or not. */
    public Cookie withSecure(boolean secure) {
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /** The same, hidden from scripts or not. */
    public Cookie withHttpOnly(boolean httpOnly) {
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /** The same for requests from other sites; {@code NONE} makes it secure, as browsers demand. */
    public Cookie withSameSite(SameSite sameSite) {
        boolean secure = this.secure || sameSite == SameSite.NONE;
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /** The same, kept apart for each top-level site; makes it secure, as browsers demand. */
    public Cookie withPartitioned(boolean partitioned) {
        boolean secure = this.secure || partitioned;
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /** The value of the {@code Set-Cookie} field. */
    public String encode() {
        var text = new StringBuilder(96).append(name).append('=').append(value);
        maxAge.ifPresent(age -> text.append("; Max-Age=").append(age.toSeconds()));
        expires.ifPresent(
                end -> text.append("; Expires=").append(HttpDate.format(end.getEpochSecond())));
        append(text, "; Domain=", domain);
        append(text, "; Path=", path);
        text.append(secure ? "; Secure" : "").append(httpOnly ? "; HttpOnly" : "");
        return text.append(sameSite.attribute)
                .append(partitioned ? "; Partitioned" : "")
                .toString();
    }

    private Cookie scoped(
            String path, String domain, Optional<Duration> maxAge, Optional<Instant> expires) {
        return new Cookie(
                name,
                value,
                path,
                domain,
                maxAge,
                expires,
                secure,
                httpOnly,
                sameSite,
                partitioned);
    }

    private Cookie flagged(
            boolean secure, boolean httpOnly, SameSite sameSite, boolean partitioned) {
        return new Cookie(
                name,
                value,
                path,
                domain,
                maxAge,
                expires,
                secure,
                httpOnly,
                sameSite,
                partitioned);
    }

    private static void append(StringBuilder text, String attribute, String value) {
        if (!value.isEmpty()) {
            text.append(attribute).append(value);
        }
    }

    /** RFC 6265 4.1.1: {@code path-value = <any CHAR except CTLs or ";">}. */
    private static boolean isAttribute(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c < 0x7f && c != ';');
    }

    private static void require(boolean good, String what, String rule) {
        if (!good) {
            throw new IllegalArgumentException(what + " of a cookie " + rule + ".");
        }
    }
}
