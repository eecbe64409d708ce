// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * The reason why an option cannot have a value, and a hint. The message continues a sentence that
 * begins with the name of the option. For a list it is about the first wrong item; the others are
 * its suppressed exceptions.
 */
final class Unfit extends Exception {
    private static final long serialVersionUID = 1;

    private final String hint;
    private final transient SourcePosition position;

    Unfit(String message, String hint) {
        this(" " + message, hint, null);
    }

    /**
     * Returns a reason whose message is a sentence of its own, put after the option and a colon.
     */
    static Unfit sentence(String message, String hint) {
        return new Unfit(": " + message, hint, null);
    }

    private Unfit(String message, String hint, SourcePosition position) {
        super(message, null, true, false);
        this.hint = hint;
        this.position = position;
    }

    /** Returns the same reason for a part of the value, such as an item of a list. */
    Unfit in(Node part) {
        return position != null ? this : new Unfit(getMessage(), hint, part.position());
    }

    String hint() {
        return hint;
    }

    SourcePosition positionOr(SourcePosition whole) {
        return position == null ? whole : position;
    }
}
