// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

/**
 * Somebody in a room.
 *
 * @param client the id of the client
 * @param user who it is authenticated as; empty for nobody in particular
 * @param info a JSON object that all members may see, such as the name that the client gives
 *     itself, or an empty text
 */
public record Member(String client, String user, String info) {

    /** What the connections of one somebody have in common, and nobody else. */
    public String identity() {
        return user.isEmpty() ? "c" + client : "u" + user;
    }
}
