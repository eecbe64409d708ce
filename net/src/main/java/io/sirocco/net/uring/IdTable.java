// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Objects under small numbers, for completions, which carry no references. A number is used again
 * as soon as its object is removed: remove it only when nothing under way names it. Loop-confined.
 */
final class IdTable<T> {
    private final List<T> objects = new ArrayList<>(); // null where the number is free
    private final List<Integer> free = new ArrayList<>();

    /** Returns the number of {@code object} until {@link #remove}. */
    int add(T object) {
        if (free.isEmpty()) {
            objects.add(object);
            return objects.size() - 1;
        }
        int number = free.removeLast();
        objects.set(number, object);
        return number;
    }

    /** Returns the object with this number; null when it has been removed. */
    T get(int number) {
        return objects.get(number);
    }

    /** Returns how many numbers are or were in use: all are lower. */
    int numbers() {
        return objects.size();
    }

    /** Frees the number, and returns the object that had it. */
    T remove(int number) {
        free.add(number);
        return objects.set(number, null);
    }

    /** Returns a copy of all that are there. */
    List<T> all() {
        return objects.stream().filter(Objects::nonNull).toList();
    }
}
