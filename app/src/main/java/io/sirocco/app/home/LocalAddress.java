// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** An IPv4 address of this machine, and the broadcast address of its network. Immutable. */
record LocalAddress(NetworkInterface on, Inet4Address address, InetAddress broadcast) {
    private static final Path INTERFACES = Path.of("/sys/class/net");

    /**
     * Returns the address that a word names: an interface, an address, or neither for the only
     * private one (RFC 1918).
     *
     * @throws IOException if there is none, or several; the message lists those that there are
     */
    static LocalAddress of(String word) throws IOException {
        List<LocalAddress> all = all();
        if (word != null) {
            return all.stream()
                    .filter(each -> each.isNamed(word))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new IOException(
                                            "no interface or IPv4 address of this machine is '%s'; there are %s"
                                                    .formatted(word, list(all))));
        }
        List<LocalAddress> usable = all.stream().filter(LocalAddress::isPrivate).toList();
        if (usable.size() == 1) {
            return usable.getFirst();
        }
        throw new IOException(
                usable.isEmpty()
                        ? "this machine has no private IPv4 address: choose one by --interface, of "
                                + list(all)
                        : "this machine has several private IPv4 addresses: choose one by --interface, of "
                                + list(usable));
    }

    /** Returns whether a word names an interface that has no IPv4 address yet; Java lists none. */
    static boolean isExpected(String word) throws SocketException {
        return word != null
                && Files.isDirectory(INTERFACES.resolve(word.replace('/', '_')))
                && all().stream().noneMatch(each -> each.isNamed(word));
    }

    /** Returns whether this machine still has the address. */
    boolean isPresent() throws SocketException {
        return NetworkInterface.getByInetAddress(address) != null;
    }

    private boolean isNamed(String word) {
        return on.getName().equals(word) || address.getHostAddress().equals(word);
    }

    private boolean isPrivate() {
        return address.isSiteLocalAddress() && broadcast != null;
    }

    private static List<LocalAddress> all() throws SocketException {
        var all = new ArrayList<LocalAddress>();
        for (NetworkInterface on : interfaces()) {
            if (on.isUp()) {
                on.getInterfaceAddresses()
                        .forEach(
                                each -> {
                                    if (each.getAddress() instanceof Inet4Address address) {
                                        all.add(new LocalAddress(on, address, each.getBroadcast()));
                                    }
                                });
            }
        }
        return all;
    }

    /** Returns the interfaces that have an address: none early in the start of a machine. */
    private static List<NetworkInterface> interfaces() {
        try {
            return NetworkInterface.networkInterfaces().toList();
        } catch (SocketException e) { // so Java says that there is none
            return List.of();
        }
    }

    private static String list(List<LocalAddress> addresses) {
        return addresses.stream()
                .map(each -> each.address.getHostAddress() + " (" + each.on.getName() + ")")
                .collect(Collectors.joining(", "));
    }
}
