// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

/**
 * A place in the order of messages.
 *
 * @param epoch one life of the broker's memory: positions of different epochs have no order.
 *     Letters and digits
 * @param offset the broker's own; letters, digits and {@code -}
 */
public record Position(String epoch, String offset) {

    /** The form that clients hand back. */
    @Override
    public String toString() {
        return epoch + "." + offset;
    }

    /**
     * Reads what a client hands back.
     *
     * @throws IllegalArgumentException when it has not that form
     */
    public static Position parse(String text) {
        int dot = text.indexOf('.');
        if (text.length() > 100 || !text.matches("[A-Za-z0-9]+\\.[A-Za-z0-9-]+")) {
            throw new IllegalArgumentException("no position: it has the form EPOCH.OFFSET");
        }
        return new Position(text.substring(0, dot), text.substring(dot + 1));
    }
}
