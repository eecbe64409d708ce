// SPDX-License-Identifier: Apache-2.0
/** Event channels for the clients of Socket.IO. */
package io.sirocco.live;
