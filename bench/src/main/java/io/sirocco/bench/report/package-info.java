// SPDX-License-Identifier: Apache-2.0

/**
 * What is read of a measurement: JSON, text for the terminal, pages and plots. Start with {@link
 * io.sirocco.bench.report.Race}; {@link io.sirocco.bench.report.Verdict} is what all of them say.
 */
package io.sirocco.bench.report;
