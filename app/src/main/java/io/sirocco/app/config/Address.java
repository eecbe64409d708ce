// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** An address to listen on. Immutable. */
public sealed interface Address {

    /**
     * A host and a port.
     *
     * @param host an address without brackets, or a name; empty for all addresses of the machine
     * @param port 0 lets the system choose
     */
    record Internet(String host, int port) implements Address {
        @Override
        public SocketAddress resolved() throws UnknownHostException {
            return host.isEmpty()
                    ? new InetSocketAddress(port)
                    : new InetSocketAddress(InetAddress.getByName(host), port);
        }

        @Override
        public boolean isLocal() {
            return host.equals("localhost") || Network.isLoopback(host);
        }

        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /** A Unix-domain socket: a file. */
    record Unix(Path path) implements Address {
        @Override
        public SocketAddress resolved() {
            return UnixDomainSocketAddress.of(path);
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public String toString() {
            return "unix:" + path;
        }
    }

    /** Returns the socket address; a name is looked up, which may take a while. */
    SocketAddress resolved() throws UnknownHostException;

    /** Returns whether only this machine can reach it. */
    boolean isLocal();

    /** Parses {@code host:port}, {@code :port}, {@code [::1]:port} or {@code unix:/path}. */
    static Address parse(String text, Path folder) {
        String form = "write \"127.0.0.1:8080\", \":8080\", \"[::1]:8080\" or \"unix:/run/a.sock\"";
        if (text.startsWith("unix:")) {
            if (text.length() == 5) throw new ConfigError("has no path: \"" + text + "\"", form);
            return new Unix(Paths.resolved(text.substring(5), folder));
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0 || text.endsWith("]")) {
            String port = text.matches("[0-9]{1,5}") ? ":" + text : text + ":8080";
            throw new ConfigError("has no port: \"" + text + "\"", "write \"" + port + "\"");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
            if (!host.contains(":") || !Network.isAddress(host)) {
                throw new ConfigError("is not an address: \"" + text + "\"", form);
            }
        } else if (host.contains(":")) {
            throw new ConfigError(
                    "is not an address: \"" + text + "\"", bracketed(text, colon, form));
        } else if (host.matches("[0-9.]+") ? !Network.isAddress(host) : !isName(host)) {
            throw new ConfigError("is not an address: \"" + text + "\"", form);
        }
        return new Internet(host, port(text.substring(colon + 1), form));
    }

    private static String bracketed(String text, int colon, String form) {
        if (text.contains("://")) return "remove the scheme: " + form;
        String host = text.substring(0, colon);
        return Network.isAddress(host)
                ? "put an IPv6 address in brackets: \"[" + host + "]" + text.substring(colon) + "\""
                : form;
    }

    private static boolean isName(String host) {
        return host.matches("|[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\\.[A-Za-z0-9_-]+)*\\.?");
    }

    private static int port(String text, String form) {
        if (!text.matches("[0-9]{1,9}"))
            throw new ConfigError("has an invalid port: \"" + text + "\"", form);
        int port = Integer.parseInt(text);
        if (port > 65_535) {
            throw new ConfigError("has an invalid port: " + port, "a port is 0 to 65535");
        }
        return port;
    }
}
