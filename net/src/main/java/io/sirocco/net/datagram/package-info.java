// SPDX-License-Identifier: Apache-2.0

/**
 * UDP sockets of the transports of Linux, which differ only in how they learn that one is readable.
 * Internal to the module. Loop-confined.
 */
package io.sirocco.net.datagram;
