// SPDX-License-Identifier: Apache-2.0

/** The event core: loops, connections, datagrams, timers, loop-carried virtual threads. */
module io.sirocco.net {
    requires jdk.jfr;

    exports io.sirocco.net;
}
