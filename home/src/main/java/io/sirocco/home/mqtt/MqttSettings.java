// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.http.HostAndPort;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The broker and how to reach it. Its text never shows the password. Immutable.
 *
 * @param tls whether the connection is encrypted
 * @param credentials user name and password, if the broker wants any
 * @param clientId the name of the controller; a broker closes the older of two connections of one
 *     name
 * @param availabilityTopic the topic that says {@code online} or {@code offline}, retained
 * @param certificates the folder with {@code ca.crt}, {@code certificate.crt} and {@code key.pem},
 *     all optional
 */
public record MqttSettings(
        String host,
        int port,
        boolean tls,
        Optional<Credentials> credentials,
        String clientId,
        String availabilityTopic,
        Path certificates) {
    private static final int PORT = 1883;
    private static final int TLS_PORT = 8883;

    /** A user name and a password, which may be empty. Immutable. */
    public record Credentials(String user, String password) {
        @Override
        public String toString() {
            return user + ":***";
        }
    }

    /**
     * Parses feature MQTTUrl of a controller, for example {@code tcp://user:password@host:1883} or
     * {@code ssl://host}. Special characters of user and password are percent-encoded, as in any
     * URL.
     *
     * @param prefix the prefix of the topics of Home Assistant
     * @throws IllegalArgumentException if the URL is wrong; the message does not show it, as it has
     *     a password
     */
    public static MqttSettings of(String url, String clientId, String prefix, Path certificates) {
        int scheme = url.indexOf("://");
        if (scheme < 0) {
            throw wrong("it does not begin with tcp:// or ssl://");
        }
        boolean tls =
                switch (url.substring(0, scheme)) {
                    case "tcp", "mqtt" -> false;
                    case "ssl", "tls", "mqtts" -> true;
                    default -> throw wrong("its scheme is neither tcp nor ssl");
                };
        String authority = url.substring(scheme + 3).replaceFirst("/$", "");
        int at = authority.lastIndexOf('@'); // a password may have one that is not encoded
        HostAndPort to = address(authority.substring(at + 1), tls ? TLS_PORT : PORT);
        return new MqttSettings(
                to.host(),
                to.port(),
                tls,
                at < 0 ? Optional.empty() : Optional.of(credentials(authority.substring(0, at))),
                clientId,
                Topics.availability(prefix, clientId),
                certificates);
    }

    private static HostAndPort address(String text, int defaultPort) {
        try {
            URI address = URI.create("tcp://" + text);
            Optional<HostAndPort> to = HostAndPort.of(address, defaultPort);
            if (to.isPresent()
                    && address.getPath().isEmpty()
                    && address.getQuery() == null
                    && address.getFragment() == null) {
                return to.get();
            }
        } catch (IllegalArgumentException e) {
            // said below, without the URL
        }
        throw wrong(
                "after the scheme and the user it needs HOST or HOST:PORT, a name in its ASCII form (xn--...)");
    }

    private static Credentials credentials(String text) {
        int colon = text.indexOf(':');
        return colon < 0
                ? new Credentials(decode(text), "")
                : new Credentials(
                        decode(text.substring(0, colon)), decode(text.substring(colon + 1)));
    }

    /** Decodes percent-encoding; a stray percent sign is taken as it is. */
    private static String decode(String text) {
        String strict = text.replace("+", "%2B").replaceAll("%(?![0-9A-Fa-f]{2})", "%25");
        return URLDecoder.decode(strict, StandardCharsets.UTF_8);
    }

    private static IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(
                "the URL of the MQTT broker is wrong: "
                        + what
                        + "; write it as tcp://USER:PASSWORD@HOST:PORT or ssl://HOST:PORT");
    }

    /** Returns the address, for the log. */
    String server() {
        return (tls ? "ssl://" : "tcp://") + host + ":" + port;
    }
}
