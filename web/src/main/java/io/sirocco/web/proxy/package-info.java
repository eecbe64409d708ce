// SPDX-License-Identifier: Apache-2.0

/**
 * The reverse proxy: forwards requests to a group of servers, as docs/proxy.md describes it.
 *
 * <p>Read {@link io.sirocco.web.proxy.Proxy}, which decides what of a request is forwarded, then
 * {@code ProxyExchange}, which is one request and its attempts, then {@link
 * io.sirocco.web.proxy.Upstream}, which chooses servers. {@code CacheOrigin} sends the requests of
 * a cache in front of the proxy. Everything that belongs to one request runs on the event loop of
 * its client; what loops share is the state of servers, in atomic fields.
 */
package io.sirocco.web.proxy;
