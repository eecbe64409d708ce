// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

/**
 * A namespace was joined. Immutable.
 *
 * @param id the server's name for us
 * @param recovered whether it is the session that was lost: same id, same rooms, and what was
 *     missed follows
 */
public record Connected(String id, boolean recovered) {}
