// SPDX-License-Identifier: Apache-2.0

/**
 * Reads {@code sirocco.toml}: from its text to checked values.
 *
 * <pre>
 *   Source --Toml + Outline--&gt; Node    --Overlay--&gt; Node --Table, one record per [table]--&gt; Configuration
 *    text      what, and where      values   + command line      defaults, checks          or Problems
 * </pre>
 */
package io.sirocco.app.config;
