// SPDX-License-Identifier: Apache-2.0

/**
 * The interface between a loop and the ways to talk to the kernel. Internal to the module. A
 * transport implements {@link io.sirocco.net.transport.Transport} and the sockets that it hands
 * out, {@link io.sirocco.net.transport.ListeningSocket}, {@link
 * io.sirocco.net.transport.ConnectingSocket} and {@link io.sirocco.net.transport.DatagramSocket},
 * and extends {@link io.sirocco.net.Connection}, whose protected methods are the interface for one
 * connection. It sees of the loop what {@link io.sirocco.net.transport.TransportLoop}, {@link
 * io.sirocco.net.transport.TransportAcceptor} and {@link io.sirocco.net.transport.TransportConnect}
 * show, and nothing of protocols, TLS or timers.
 *
 * <p>A new transport is a package beside {@code uring} and {@code nio}, a constant of {@link
 * io.sirocco.net.TransportKind}, and a case in {@code Transports}. Loop-confined: a loop calls its
 * transport, and a transport reports to its loop, on the loop's thread.
 */
package io.sirocco.net.transport;
