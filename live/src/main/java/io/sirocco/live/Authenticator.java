// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** Decides who comes in, on a virtual thread: it may block. Any thread. */
@FunctionalInterface
public interface Authenticator {

    /**
     * Whether this one does.
     *
     * @throws RequestException to refuse it with its message, as {@link Attempt#auth(Class)} does
     * @throws Exception to refuse it without saying why; the log says it
     */
    Admission admit(Attempt attempt) throws Exception;
}
