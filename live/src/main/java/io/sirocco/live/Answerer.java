// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** Answers requests of clients, on virtual threads as a {@link Listener} does. */
@FunctionalInterface
public interface Answerer<T> {

    /**
     * Returns the answer: what JSON can say, or bytes; null is one, too. {@link Arguments} are
     * several, or none. A {@link java.util.concurrent.CompletionStage} gives any of these later:
     * the client's next message is handled meanwhile; the timeout of handlers holds for both
     * together, and a stage that ends exceptionally is answered as if its cause had been thrown.
     *
     * @throws RequestException for an error of the handler's choice
     * @throws Exception to have the client told no more than {@code failed}
     */
    Object answer(Client client, T value) throws Exception;
}
