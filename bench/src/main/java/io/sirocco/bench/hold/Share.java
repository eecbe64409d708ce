// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.net.TransportKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one process has to do of a {@link HoldPlan}; goes to a child as JSON, so its components are
 * plain. Immutable.
 *
 * @param address of the server
 * @param first number of its first connection among those of all shares
 * @param ramp connections to open per second
 * @param opening connections that may be being opened at the same time
 * @param think in milliseconds
 * @param length in bytes; absent when all answers are to have the same
 * @param sources of the whole plan, which connections use in turn by their numbers
 */
record Share(
        String address,
        int port,
        String host,
        String target,
        int first,
        int connections,
        double ramp,
        int opening,
        Span think,
        Optional<Span> length,
        long timeoutMillis,
        boolean reopen,
        List<String> sources,
        TransportKind transport) {

    /** Splits {@code plan} evenly. */
    static List<Share> of(HoldPlan plan, int processes, TransportKind transport) {
        var shares = new ArrayList<Share>();
        for (int i = 0, first = 0; i < processes; i++) {
            int count = split(plan.connections, processes, i);
            shares.add(of(plan, first, count, processes, i, transport));
            first += count;
        }
        return shares;
    }

    private static Share of(
            HoldPlan plan, int first, int count, int processes, int i, TransportKind transport) {
        return new Share(
                plan.server.getAddress().getHostAddress(),
                plan.server.getPort(),
                plan.host,
                plan.target,
                first,
                count,
                plan.ramp * count / plan.connections,
                Math.max(1, split(plan.opening, processes, i)),
                plan.think,
                plan.length,
                Math.max(1, plan.timeout.toMillis()),
                plan.reopen,
                plan.effectiveSources().stream().map(InetAddress::getHostAddress).toList(),
                transport);
    }

    private static int split(int whole, int parts, int i) {
        return whole / parts + (i < whole % parts ? 1 : 0);
    }

    InetSocketAddress server() {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    Question question() {
        return Question.of(host, target, length.isPresent());
    }
}
