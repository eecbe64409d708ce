// SPDX-License-Identifier: Apache-2.0

/**
 * System calls and sockets of Linux, through the foreign-function API. Internal to the module: the
 * names and constants are those of the manual pages, a call returns what the kernel does or {@code
 * -errno}, and nothing here blocks unless its system call does. Uses no other package of ours.
 */
package io.sirocco.net.linux;
