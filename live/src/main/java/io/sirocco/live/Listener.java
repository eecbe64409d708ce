// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/**
 * Is told of something that concerns a client, on a virtual thread: it may block. What belongs to
 * one client comes one after the other; different clients come side by side.
 */
@FunctionalInterface
public interface Listener<T> {

    /**
     * It has happened.
     *
     * @throws Exception to be reported to {@link Namespace#onError}
     */
    void on(Client client, T value) throws Exception;
}
