// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * Why a value is none for its option: the end of a sentence that begins with the option's name, and
 * what to do. Of a list, the first item that is wrong; those after it are suppressed exceptions.
 */
final class Unfit extends Exception {
    private static final long serialVersionUID = 1;

    private final String hint;
    private final transient Place place;

    Unfit(String message, String hint) {
        this(message, hint, null);
    }

    private Unfit(String message, String hint, Place place) {
        super(message, null, true, false);
        this.hint = hint;
        this.place = place;
    }

    /** The same of a part of the value, such as one text of a list. */
    Unfit in(Node part) {
        return place != null ? this : new Unfit(getMessage(), hint, part.place());
    }

    String hint() {
        return hint;
    }

    Place placeOr(Place whole) {
        return place == null ? whole : place;
    }
}
