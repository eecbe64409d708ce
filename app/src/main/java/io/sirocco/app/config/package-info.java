// SPDX-License-Identifier: Apache-2.0

/**
 * {@code sirocco.toml}: from its text to values that have been checked.
 *
 * <pre>
 *   Source --Jackson + Outline--&gt; Node --Overlay--&gt; Node --Table, one record per [table]--&gt; Configuration
 *    text      what, and where      values   + command line      usual values, checks           or Problems
 * </pre>
 */
package io.sirocco.app.config;
