// SPDX-License-Identifier: Apache-2.0
/** Engine.IO 4: sessions over WebSocket and long polling, and the upgrade between. Internal. */
package io.sirocco.live.engine;
