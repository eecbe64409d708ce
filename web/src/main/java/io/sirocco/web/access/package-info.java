// SPDX-License-Identifier: Apache-2.0

/**
 * Access rules for the handlers of a site: which clients may send requests, how often, and with
 * which password.
 *
 * <p>Each is a {@link io.sirocco.http.Filter}, or a {@link io.sirocco.http.Handler} that responds
 * by itself. Add them in this order, the outermost first, as {@code sirocco serve} does: {@link
 * HeaderRules}, so that refusals have its headers, too; {@link CanonicalHost}; {@link AddressRules}
 * and {@link RateLimit}, which cost least; {@link Cors}, whose preflight requests carry no
 * password; {@link BasicAuth}; and then a {@link Redirect}, a {@link Respond} or a file server.
 */
package io.sirocco.web.access;
