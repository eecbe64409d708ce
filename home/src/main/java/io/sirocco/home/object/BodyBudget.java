// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds the request bodies that all {@link HttpListener}s of the process hold until their
 * responses, so that a small heap survives many large ones at once, and no client keeps others out
 * by slow ones. An address has up to half of the bytes, at least one body, and up to {@value
 * #READING} bodies that have not arrived yet. Any thread.
 */
final class BodyBudget {
    static final int READING = 64;

    /** Of the process: a part of the heap, from 2 to 16 MiB. */
    static final BodyBudget OF_PROCESS =
            new BodyBudget(Math.clamp(Runtime.getRuntime().maxMemory() / 24, 2L << 20, 16L << 20));

    private final long most;
    private final long mostOfHost;
    private final Map<InetAddress, Host> hosts = new HashMap<>(); // with a body now
    private long held;

    /** The bodies of one address. */
    private static final class Host {
        private long held;
        private int reading;
        private int bodies;
    }

    BodyBudget(long most) {
        this.most = most;
        this.mostOfHost = Math.max(most / 2, HttpBody.MAX_BYTES);
    }

    /** Returns how many bytes are held. */
    synchronized long held() {
        return held;
    }

    /** Begins a body; returns null if too many bodies of the address have not arrived yet. */
    synchronized Share begin(InetAddress address) {
        Host known = hosts.get(address);
        if (known != null && known.reading == READING) {
            return null;
        }
        Host host = known == null ? new Host() : known;
        hosts.put(address, host);
        host.reading++;
        host.bodies++;
        return new Share(address, host);
    }

    /** The part of one body. */
    final class Share implements AutoCloseable {
        private final InetAddress address;
        private final Host host;
        private long taken;
        private boolean arrived;
        private boolean closed;

        private Share(InetAddress address, Host host) {
            this.address = address;
            this.host = host;
        }

        /** Takes more bytes; returns false if there are not as many left. */
        boolean take(int bytes) {
            synchronized (BodyBudget.this) {
                if (held + bytes > most || host.held + bytes > mostOfHost) {
                    return false;
                }
                held += bytes;
                host.held += bytes;
                taken += bytes;
                return true;
            }
        }

        /** The body has arrived, or will not. */
        void arrived() {
            synchronized (BodyBudget.this) {
                if (!arrived) {
                    arrived = true;
                    host.reading--;
                }
            }
        }

        /** Gives everything back. */
        @Override
        public void close() {
            synchronized (BodyBudget.this) {
                arrived();
                if (closed) {
                    return;
                }
                closed = true;
                held -= taken;
                host.held -= taken;
                host.bodies--;
                if (host.bodies == 0) {
                    hosts.remove(address);
                }
            }
        }
    }
}
