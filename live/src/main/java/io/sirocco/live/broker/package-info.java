// SPDX-License-Identifier: Apache-2.0
/** What the nodes of a service share. */
package io.sirocco.live.broker;
