// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

/**
 * The counters of an {@link HttpClient}, summed over its event loops. They may be slightly out of
 * date. Immutable.
 *
 * @param connections connections that are open or being opened
 * @param idle open connections that wait for a request
 * @param waiting requests that wait for a connection
 * @param opened connections opened since the start
 * @param requests requests made since the start
 * @param responses responses received completely
 * @param failures requests that failed or were canceled
 * @param reused requests sent on a connection that had served another request
 * @param retries requests sent again because a reused connection was closed
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
