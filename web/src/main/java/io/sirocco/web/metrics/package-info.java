// SPDX-License-Identifier: Apache-2.0

/** Counts of what a server answers, and the text form in which Prometheus reads them. */
package io.sirocco.web.metrics;
