// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

/** A room of a namespace. */
public record Room(String namespace, String name) {}
