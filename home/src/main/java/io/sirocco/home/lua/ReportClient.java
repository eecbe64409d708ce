// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

/**
 * A client that has registered by {@code SYSTEM:clientRegister}. Immutable.
 *
 * @param host the IPv4 address that it has named
 * @param id the number or name that it has given itself
 * @param values how many values it receives every second
 */
public record ReportClient(String host, int port, String id, int values) {}
