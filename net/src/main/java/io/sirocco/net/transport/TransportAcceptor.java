// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import io.sirocco.net.Connection;
import io.sirocco.net.Loop;

/**
 * One loop's share of a listener, as a transport sees it. For each connection that it accepts, the
 * transport asks for a {@link Placement}, brings the connection to the acceptor of that placement,
 * and calls {@link #accepted} there, or {@link #lost}. Loop-confined, except where noted.
 */
public abstract class TransportAcceptor extends ConnectionOrigin {
    /** The capacity that an acceptor has for a connection. */
    public enum Capacity {
        /** A slot: the connection is served. */
        SLOT,
        /** A place to park, until a slot is free. */
        PARKING,
        /** Neither: several loops have accepted for the last place. */
        NONE
    }

    /**
     * Where a connection that was accepted goes. Immutable.
     *
     * @param acceptor of the loop that serves it, which may be another one
     * @param room that is taken there
     */
    public record Placement(TransportAcceptor acceptor, Capacity room) {
        /** Counts a connection that has come from another loop, or never will. Any thread. */
        public void arrived() {
            acceptor.arrived(room);
        }

        /** Gives up the room of a connection that never came. Any thread. */
        public void lost() {
            acceptor.lost(room);
        }

        /** Admits the connection. */
        public void accepted(Connection connection) {
            acceptor.accepted(connection, room);
        }
    }

    protected TransportAcceptor(Loop loop) {
        super(loop);
    }

    /** Returns the transport of its loop. Any thread. */
    public abstract Transport transport();

    /** Returns whether connections are wanted now. */
    public abstract boolean accepting();

    /** Returns whether to accept one connection and then ask again, instead of all that wait. */
    public abstract boolean oneAtATime();

    /** Takes a place for a connection that was accepted here. */
    public abstract Placement place();

    /** Returns the place of this acceptor with {@code room} that is taken already. Any thread. */
    public abstract Placement place(Capacity room);

    /** See {@link Placement#arrived}. Any thread. */
    protected abstract void arrived(Capacity room);

    /** See {@link Placement#lost}. Any thread. */
    protected abstract void lost(Capacity room);

    /** See {@link Placement#accepted}. */
    protected abstract void accepted(Connection connection, Capacity room);

    /** Backs off, since accepting has failed for want of descriptors or memory. */
    public abstract void failed(String reason);

    /** Closes it because its loop ends; it calls {@link ListeningSocket#close}. */
    public abstract void closeNow();
}
