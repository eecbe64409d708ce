// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/**
 * The role of one end of a connection. A client masks its frames; a server must not (RFC 6455 5.1).
 */
public enum Role {
    CLIENT,
    SERVER;

    /** Returns the role of the other end. */
    Role other() {
        return this == CLIENT ? SERVER : CLIENT;
    }
}
