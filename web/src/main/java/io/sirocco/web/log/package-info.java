// SPDX-License-Identifier: Apache-2.0

/** The access log: one line for each request, written beside the loops. */
package io.sirocco.web.log;
