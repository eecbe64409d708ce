// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/** One of the two ends: a client masks what it sends, and a server must not (RFC 6455 5.1). */
public enum Role {
    CLIENT,
    SERVER;

    /** The one at the other end. */
    public Role other() {
        return this == CLIENT ? SERVER : CLIENT;
    }
}
