// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.dns;

import io.sirocco.web.dns.DnsMessage.Answer;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * Looks up the addresses of host names: in the hosts file, then at the name servers, then by the
 * system's own resolver, which knows other sources, but not for how long its answers are valid. The
 * files are read at each look-up. Blocks. Any thread.
 */
public final class NameResolver {
    private static final Path HOSTS = Path.of("/etc/hosts");
    private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");

    private final Path hosts;
    private final List<InetSocketAddress> servers;

    /**
     * The addresses of a name.
     *
     * @param addresses at least one, each once
     * @param validity how long they are valid; empty if that is not known
     */
    public record Resolved(List<InetAddress> addresses, Optional<Duration> validity) {}

    NameResolver(Path hosts, List<InetSocketAddress> servers) {
        this.hosts = hosts;
        this.servers = List.copyOf(servers);
    }

    /**
     * Creates a resolver.
     *
     * @param servers the name servers; without any, those of the system, and its own resolver if
     *     these do not know a name
     */
    public static NameResolver of(List<InetSocketAddress> servers) {
        return new NameResolver(HOSTS, servers);
    }

    /**
     * Looks a name up.
     *
     * @throws IOException if no address is found; the message says why
     */
    public Resolved resolve(String host) throws IOException {
        List<InetAddress> own = inHosts(host);
        if (!own.isEmpty()) {
            return new Resolved(own, Optional.empty());
        }
        if (!servers.isEmpty()) {
            return ask(new DnsClient(ResolvConf.of(servers)), host);
        }
        ResolvConf system = ResolvConf.read(RESOLV_CONF);
        if (!system.servers().isEmpty()) {
            try {
                return ask(new DnsClient(system), host);
            } catch (IOException e) {
                // the system may know it from elsewhere
            }
        }
        return new Resolved(unique(List.of(InetAddress.getAllByName(host))), Optional.empty());
    }

    private static Resolved ask(DnsClient client, String host) throws IOException {
        var addresses = new ArrayList<InetAddress>();
        long seconds = Long.MAX_VALUE;
        IOException why = new UnknownHostException(host + " has no address");
        for (int type : types()) {
            try {
                if (client.ask(host, type) instanceof Answer.Found(var found, long valid)) {
                    addresses.addAll(found);
                    seconds = Math.min(seconds, valid);
                }
            } catch (IOException e) {
                why = e;
            }
        }
        if (addresses.isEmpty()) {
            throw why;
        }
        return new Resolved(unique(addresses), Optional.of(Duration.ofSeconds(seconds)));
    }

    /** As the C library (AI_ADDRCONFIG), asks for IPv6 only where it can be used. */
    private static List<Integer> types() throws SocketException {
        boolean six =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .anyMatch(
                                address ->
                                        address instanceof Inet6Address
                                                && !address.isLoopbackAddress()
                                                && !address.isLinkLocalAddress());
        return six ? List.of(DnsMessage.A, DnsMessage.AAAA) : List.of(DnsMessage.A);
    }

    /** Returns the addresses of a name in the hosts file: an address, and its names. */
    private List<InetAddress> inHosts(String host) {
        var found = new ArrayList<InetAddress>();
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        try {
            for (String line : Files.readAllLines(hosts, StandardCharsets.ISO_8859_1)) {
                String[] words = line.replaceFirst("#.*", "").strip().split("\\s+");
                if (List.of(words).subList(1, words.length).stream()
                        .anyMatch(name::equalsIgnoreCase)) {
                    add(words[0], found);
                }
            }
        } catch (IOException e) {
            return List.of(); // not every system has one
        }
        return unique(found);
    }

    private static void add(String literal, List<InetAddress> to) {
        try {
            to.add(InetAddress.ofLiteral(literal));
        } catch (IllegalArgumentException e) {
            // as the C library, which skips the line
        }
    }

    private static List<InetAddress> unique(List<InetAddress> addresses) {
        return List.copyOf(new LinkedHashSet<>(addresses));
    }
}
