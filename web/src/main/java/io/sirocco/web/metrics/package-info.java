// SPDX-License-Identifier: Apache-2.0

/** Counters of what a server does, and the text format in which Prometheus reads them. */
package io.sirocco.web.metrics;
