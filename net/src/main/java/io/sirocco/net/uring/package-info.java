// SPDX-License-Identifier: Apache-2.0

/**
 * The transport over io_uring, for Linux 6.8 and later. Internal to the module. In reading order:
 * {@link io.sirocco.net.uring.Ring} has the shared queues and their layouts, {@link
 * io.sirocco.net.uring.UringTable} adds the sockets in the table of a ring, and {@link
 * io.sirocco.net.uring.UringTables} has those of a loop. {@link io.sirocco.net.uring.Uring} waits
 * for completions and passes them to what they are about: {@link
 * io.sirocco.net.uring.UringListener} and {@link io.sirocco.net.uring.UringAccepts}, {@link
 * io.sirocco.net.uring.UringConnects}, {@link io.sirocco.net.uring.UringDatagrams}, and {@link
 * io.sirocco.net.uring.UringConnection} with {@link io.sirocco.net.uring.UringFiles} and {@link
 * io.sirocco.net.uring.UringNames}. Loop-confined: the kernel lets only the loop's thread submit.
 */
package io.sirocco.net.uring;
