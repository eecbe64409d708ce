// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

/**
 * Counters of an {@link HttpClient}, summed over its loops; they may lag a little. Immutable.
 *
 * @param connections open, or being opened
 * @param idle of these, how many wait for a request
 * @param waiting requests that wait for a connection
 * @param opened connections opened so far
 * @param requests requests begun so far
 * @param responses responses received completely
 * @param failures requests that ended in an error, with those that were canceled
 * @param reused requests sent on a connection that had served another
 * @param retries requests sent again because a reused connection had been closed
 */
public record HttpClientStats(
        long connections,
        long idle,
        long waiting,
        long opened,
        long requests,
        long responses,
        long failures,
        long reused,
        long retries) {

    HttpClientStats plus(HttpClientStats other) {
        return new HttpClientStats(
                connections + other.connections,
                idle + other.idle,
                waiting + other.waiting,
                opened + other.opened,
                requests + other.requests,
                responses + other.responses,
                failures + other.failures,
                reused + other.reused,
                retries + other.retries);
    }
}
