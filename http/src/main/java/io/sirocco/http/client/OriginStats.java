// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

/**
 * The connections of an {@link HttpClient} to one origin, summed over its event loops. They may be
 * slightly out of date. Immutable.
 *
 * @param connections connections that are open or being opened
 * @param idle open connections that wait for a request
 */
public record OriginStats(long connections, long idle) {
    OriginStats plus(OriginStats other) {
        return new OriginStats(connections + other.connections, idle + other.idle);
    }
}
