// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.time.Duration;

/**
 * Another attempt to connect will be made. Immutable.
 *
 * @param attempt its number since the last connection, from 1
 * @param delay until then
 * @param why the last one has failed, or what has happened to the connection
 */
public record Reconnecting(int attempt, Duration delay, String why) {}
