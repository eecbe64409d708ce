// SPDX-License-Identifier: Apache-2.0

/** The event core: loops, connections, datagrams, timers, loop-carried virtual threads. */
@SuppressWarnings("module") // those below are compiled later
module io.sirocco.net {
    requires jdk.jfr;

    exports io.sirocco.net;
    exports io.sirocco.net.limit to
            io.sirocco.http,
            io.sirocco.live,
            io.sirocco.script,
            io.sirocco.web;
    exports io.sirocco.net.log to
            io.sirocco.http,
            io.sirocco.live,
            io.sirocco.ring,
            io.sirocco.script,
            io.sirocco.web;
}
