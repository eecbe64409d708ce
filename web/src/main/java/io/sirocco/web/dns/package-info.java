// SPDX-License-Identifier: Apache-2.0
/**
 * Addresses of host names, with the time for which they are valid, which the JDK does not tell.
 *
 * <p>In reading order: {@link io.sirocco.web.dns.NameResolver} asks the hosts file, then the name
 * servers of {@link io.sirocco.web.dns.ResolvConf} by a {@link io.sirocco.web.dns.DnsClient}, then
 * the system; {@link io.sirocco.web.dns.DnsMessage} is what goes over the wire.
 */
package io.sirocco.web.dns;
