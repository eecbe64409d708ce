// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.web.compress.AcceptEncoding;
import io.sirocco.web.compress.Coding;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The representations of a file in content codings, in order of preference. Immutable.
 *
 * @param codings of {@code all}, in the same order
 */
record Representations(List<Representation> all, List<Coding> codings) {

    static Representations of(List<Representation> all) {
        return new Representations(
                List.copyOf(all),
                all.stream().map(representation -> representation.coding).toList());
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns the representation that a client prefers; null if it prefers the plain file. */
    Representation best(AcceptEncoding accepted) {
        Optional<Coding> best = accepted.best(codings);
        return best.isEmpty() ? null : all.get(codings.indexOf(best.get()));
    }

    /** Returns the same representations with one replaced. */
    Representations with(Representation made) {
        UnaryOperator<Representation> change = one -> one.coding == made.coding ? made : one;
        return of(all.stream().map(change).toList());
    }

    Representations without(Coding coding) {
        return of(all.stream().filter(one -> one.coding != coding).toList());
    }
}
