// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.hold.HoldResult;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What {@code bench hold --json} prints: the result's components, in their order. Any thread. */
final class HoldJson {
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build();

    private HoldJson() {}

    /** The text, which ends with a line feed. */
    static String of(HoldResult result) {
        return MAPPER.writeValueAsString(result) + "\n";
    }
}
