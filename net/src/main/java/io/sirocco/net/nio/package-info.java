// SPDX-License-Identifier: Apache-2.0

/**
 * The transport over {@code java.nio}, for all systems. Internal to the module. {@link
 * io.sirocco.net.nio.Nio} waits for the selector and passes ready keys to what they belong to:
 * {@link io.sirocco.net.nio.NioListener}, {@link io.sirocco.net.nio.NioConnect}, {@link
 * io.sirocco.net.nio.NioConnection} and {@link io.sirocco.net.nio.NioDatagrams}. Loop-confined.
 */
package io.sirocco.net.nio;
