// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.net.TransportKind;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of those who open many connections: how, from where, and how long they wait. */
final class Connecting {
    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = TimeWord.class,
            description =
                    "How long to wait for a connection, and for what is to come over it. (default:"
                            + " ${DEFAULT-VALUE})")
    private Duration timeout;

    @Option(
            names = "--sources",
            paramLabel = "FROM-TO",
            converter = Sources.Word.class,
            description = {
                "Addresses of our own to connect from: 127.0.0.2-127.0.0.50.",
                "(default: the system's choice; but where more than 10,000 connections go to a server"
                        + " on 127.0.0.0/8, hold and live take one for each 10,000)"
            })
    private Sources sources = Sources.ANY;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "auto",
            converter = TransportWord.class,
            description =
                    "How to talk to the kernel: auto, io_uring, epoll or nio. (default: ${DEFAULT-VALUE})")
    private TransportKind transport;

    Duration timeout() {
        return timeout;
    }

    /** None for the default. */
    List<InetAddress> sources() {
        return sources.addresses();
    }

    TransportKind transport() {
        return transport;
    }
}
