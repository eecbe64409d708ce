// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import com.fasterxml.jackson.annotation.JsonFormat;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * How reports write JSON: indented, members in the order of the record's components. Any thread.
 */
final class Json {
    /** A curve has dozens of points: each is an array, and all of them are on one line. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    private interface AsArray {}

    static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .defaultPrettyPrinter(
                            new DefaultPrettyPrinter()
                                    .withObjectIndenter(new DefaultIndenter("  ", "\n")))
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .addMixIn(Race.Point.class, AsArray.class)
                    .build();

    private Json() {}
}
