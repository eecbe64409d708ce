// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** Is told of what listeners have thrown, and of arguments that did not fit. Any thread. */
@FunctionalInterface
public interface ErrorListener {

    /** {@code thrown} was, about {@code event}. */
    void on(Client client, String event, Throwable thrown);
}
