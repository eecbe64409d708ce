// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Function;

/**
 * The value of a request by which {@link Balance#HASH} chooses a server: {@code address}, {@code
 * path}, {@code header:NAME} or {@code cookie:NAME}. Immutable.
 */
final class HashBy {
    static final HashBy ADDRESS = new HashBy(request -> address(request.remoteAddress));

    private final Function<InboundRequest, String> value;

    private HashBy(Function<InboundRequest, String> value) {
        this.value = value;
    }

    /**
     * Parses the name of a value.
     *
     * @throws IllegalArgumentException if it is none of the four forms
     */
    static HashBy parse(String text) {
        if (text.equals("address")) {
            return ADDRESS;
        }
        if (text.equals("path")) {
            return new HashBy(request -> request.path);
        }
        int colon = text.indexOf(':');
        String name = text.substring(colon + 1);
        if (text.startsWith("header:") && !name.isEmpty()) {
            return new HashBy(request -> request.list(name));
        }
        if (text.startsWith("cookie:") && !name.isEmpty()) {
            return new HashBy(request -> request.cookie(name));
        }
        throw new IllegalArgumentException(
                "hashBy must be \"address\", \"path\", \"header:NAME\" or \"cookie:NAME\", not \""
                        + text
                        + "\".");
    }

    /** The address without its port, which changes with each connection. */
    private static String address(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : address.toString();
    }

    String value(InboundRequest request) {
        return value.apply(request);
    }
}
