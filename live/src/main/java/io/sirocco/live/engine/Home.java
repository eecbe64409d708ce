// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.net.Loop;

/** Where sessions live: a loop, and what the layer above has there. Any thread. */
public interface Home {

    /** The loop to which they are confined. */
    Loop loop();
}
