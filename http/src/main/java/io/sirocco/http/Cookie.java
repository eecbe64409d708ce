// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.Cookies;
import io.sirocco.http.message.Grammar;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Locale;
import java.util.Optional;

/**
 * A cookie to set, the value of one {@code Set-Cookie} header (RFC 6265 4.1; {@code SameSite},
 * {@code Partitioned} and the name prefixes from RFC 6265bis 4.1). {@link #of} creates it with safe
 * attributes: {@code Path=/; HttpOnly; SameSite=Lax}.
 *
 * <pre>{@code
 * Response.text("Welcome.").cookie(Cookie.of("__Host-session", id).withMaxAge(Duration.ofDays(7)));
 * }</pre>
 *
 * <p>Names, values and attributes that a browser would reject, or that could inject another header,
 * throw {@link IllegalArgumentException}. Values are not encoded; see {@link Percent#encode}.
 *
 * <p>Immutable.
 *
 * @param name the name, a token
 * @param value the value: ASCII without spaces, quotes, commas, semicolons and backslashes
 * @param path the path prefix of requests that carry the cookie; empty for the directory of the
 *     request that set it
 * @param domain the domain, which includes all its subdomains; empty for the host that set it
 * @param maxAge the lifetime, sent in whole seconds; zero or less deletes the cookie; takes
 *     precedence over {@code expires}
 * @param expires the end of the lifetime; without both, the cookie ends with the browser's session
 * @param secure whether it is sent over TLS only
 * @param httpOnly whether scripts cannot read it
 * @param sameSite which requests from other sites carry it
 * @param partitioned whether it is stored separately for each top-level site
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
        /** Only top-level navigation, such as following a link. */
        LAX("; SameSite=Lax"),
        /** None. */
        STRICT("; SameSite=Strict"),
        /** All of them. The cookie must be secure. */
        NONE("; SameSite=None"),
        /** The attribute is not sent, so the browser decides. */
        UNSET("");

        private final String attribute;

        SameSite(String attribute) {
            this.attribute = attribute;
        }
    }

    /** The cookie-octet of RFC 6265 4.1.1: no whitespace, quote, comma, semicolon or backslash. */
    private static final BitSet OCTETS =
            Grammar.set(
                    "!#$%&'()*+-./0123456789:<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
                            + "abcdefghijklmnopqrstuvwxyz{|}~");

    private static final BitSet DOMAIN =
            Grammar.set("-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    /**
     * Validates the components.
     *
     * @throws IllegalArgumentException if a browser would reject the cookie
     */
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
     * Creates a session cookie that scripts cannot read, with {@code Path=/} and {@code
     * SameSite=Lax}. It is {@code Secure} if its name begins with {@code __Host-} or {@code
     * __Secure-}.
     *
     * @throws IllegalArgumentException if the name or value is invalid
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

    /** Creates a cookie that deletes the cookie of this name and the path {@code /}. */
    public static Cookie delete(String name) {
        return of(name, "").withMaxAge(Duration.ZERO).withExpires(Instant.EPOCH);
    }

    /** Returns this cookie with another path; empty for the directory of the request. */
    public Cookie withPath(String path) {
        return scoped(path, domain, maxAge, expires);
    }

    /**
     * Returns this cookie with a domain, which includes all its subdomains; empty for this host
     * only.
     */
    public Cookie withDomain(String domain) {
        return scoped(path, domain, maxAge, expires);
    }

    /** Returns this cookie with a lifetime, sent in whole seconds. */
    public Cookie withMaxAge(Duration age) {
        return scoped(path, domain, Optional.of(age), expires);
    }

    /** Returns this cookie with an expiry date. */
    public Cookie withExpires(Instant end) {
        return scoped(path, domain, maxAge, Optional.of(end));
    }

    /** Returns this cookie with or without {@code Secure}. */
    public Cookie withSecure(boolean secure) {
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /** Returns this cookie with or without {@code HttpOnly}. */
    public Cookie withHttpOnly(boolean httpOnly) {
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /**
     * Returns this cookie with another {@code SameSite}. {@code NONE} makes it {@code Secure}, as
     * browsers require.
     */
    public Cookie withSameSite(SameSite sameSite) {
        boolean secure = this.secure || sameSite == SameSite.NONE;
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /**
     * Returns this cookie with or without {@code Partitioned}, which makes it {@code Secure}, as
     * browsers require.
     */
    public Cookie withPartitioned(boolean partitioned) {
        boolean secure = this.secure || partitioned;
        return flagged(secure, httpOnly, sameSite, partitioned);
    }

    /** Returns the value of the {@code Set-Cookie} header. */
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

    /**
     * Returns the value of a cookie in the headers of a request, of which several may be named
     * {@code Cookie} (RFC 9113 8.2.3). The first cookie of a name counts. See {@link
     * Request#cookie}.
     */
    public static Optional<String> value(Headers request, String name) {
        return Optional.ofNullable(Cookies.parse(request.all("Cookie")).get(name));
    }
}
