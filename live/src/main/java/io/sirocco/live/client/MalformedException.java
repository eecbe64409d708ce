// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

/** What a server has sent is no packet. Immutable. */
final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
        super(message);
    }
}
