// SPDX-License-Identifier: Apache-2.0

/**
 * Conditional and range requests (RFC 9110 13 and 14), as files and cached responses need them. Not
 * exported.
 */
package io.sirocco.web.conditional;
