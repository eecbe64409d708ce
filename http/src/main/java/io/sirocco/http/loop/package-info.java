// SPDX-License-Identifier: Apache-2.0
/**
 * Between an event loop and the rest of a program: {@link io.sirocco.http.loop.LoopTasks} carries
 * calls from any thread to a loop and back, {@link io.sirocco.http.loop.ServerProtocol} is a
 * protocol that ends in good order when its server stops.
 *
 * <p>Thread rule: any thread may call, and what it starts runs on the loop.
 */
package io.sirocco.http.loop;
