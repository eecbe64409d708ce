// SPDX-License-Identifier: Apache-2.0

/** The event core. Start with {@link io.sirocco.net.Loops}. */
package io.sirocco.net;
