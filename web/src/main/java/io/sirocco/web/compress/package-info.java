// SPDX-License-Identifier: Apache-2.0

/**
 * Content codings: which one a client takes, and a filter that applies it to what handlers answer.
 */
package io.sirocco.web.compress;
