// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

/**
 * What requests are counted by. Immutable.
 *
 * @param method one of the nine that RFC 9110 9.3 and RFC 5789 name, or {@code other}
 * @param status of the response; 0 when the connection ended before there was one
 */
public record Outcome(String method, int status) {}
