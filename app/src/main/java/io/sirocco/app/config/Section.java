// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the options of one table came to, in the order in which the program asked for them, which is
 * the order of the manual. So whatever is read is printed by {@code sirocco check}, and nothing
 * else. Written by one thread, then left alone.
 *
 * @param title how messages name the table
 * @param inline whether it is written in braces
 * @param asked every option that the table may have
 */
record Section(String title, boolean inline, Map<String, Entry> entries, Set<String> asked) {

    sealed interface Entry {}

    /** An option: as TOML has it, and the value that it came to. */
    record Leaf(Node toml, Object value) implements Entry {}

    record Inner(Section section) implements Entry {}

    record Inners(List<Section> all) implements Entry {}

    Section(String title, boolean inline) {
        this(title, inline, new LinkedHashMap<>(), new LinkedHashSet<>());
    }
}
