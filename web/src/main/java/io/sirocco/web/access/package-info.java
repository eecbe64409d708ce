// SPDX-License-Identifier: Apache-2.0

/**
 * Who may ask, how often, and under which name: rules that stand before the handlers of a site.
 *
 * <p>Each is a {@link io.sirocco.http.Filter}, or a {@link io.sirocco.http.Handler} that answers
 * all by itself. They belong in this order, the outermost first: {@link HeaderRules}, so that
 * refusals have their fields too; {@link AddressRules} and {@link RateLimit}, which cost least;
 * {@link CanonicalHost}; {@link Cors}, whose preflight requests carry no password; {@link
 * BasicAuth}; and then a {@link Redirect}, a {@link Respond} or a server of files.
 */
package io.sirocco.web.access;
