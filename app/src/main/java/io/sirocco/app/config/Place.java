// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/** A piece of a source: from one offset up to another. Immutable. */
record Place(Source source, int from, int to) {

    Position position() {
        return source.position(from);
    }

    int line() {
        return position().line();
    }
}
