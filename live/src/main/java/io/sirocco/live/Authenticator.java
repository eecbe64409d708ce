// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** Decides who comes in, on a virtual thread: it may block. Any thread. */
@FunctionalInterface
public interface Authenticator {

    /**
     * Whether this one does.
     *
     * @throws Exception to refuse it without saying why; the log says it
     */
    Admission admit(Attempt attempt) throws Exception;
}
