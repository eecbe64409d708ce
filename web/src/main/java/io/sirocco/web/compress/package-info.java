// SPDX-License-Identifier: Apache-2.0

/**
 * Content codings: which one a client accepts, and a filter that compresses the responses of
 * handlers.
 */
package io.sirocco.web.compress;
