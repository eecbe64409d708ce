// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.web.access.Networks;
import java.net.InetAddress;

/**
 * The clients that a rule applies to, by their address. Immutable.
 *
 * @param text the one form of an address, of a network, or {@code unix}, as {@link Networks} has it
 */
public record Network(String text) {

    /** Parses an address, an address with a prefix length, or {@code unix}. */
    static Network parse(String text) {
        try {
            return new Network(Networks.canonical(text));
        } catch (IllegalArgumentException e) {
            String message = e.getMessage().replaceFirst("\\.$", "");
            int hint = message.lastIndexOf("; "); // the text of the user may have one, too
            throw ConfigError.sentence(message.substring(0, hint), message.substring(hint + 2));
        }
    }

    /** Returns whether a string is an address rather than a name; nothing is looked up. */
    static boolean isAddress(String text) {
        if (text.contains(":")) return text.matches("[0-9a-fA-F:.]{2,45}") && literal(text) != null;
        return text.matches("((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(?!$)|$)){4}");
    }

    static boolean isLoopback(String text) {
        return isAddress(text) && literal(text).isLoopbackAddress();
    }

    private static InetAddress literal(String address) {
        try {
            return InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
