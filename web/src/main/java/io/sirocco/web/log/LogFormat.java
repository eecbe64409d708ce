// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import java.util.Arrays;
import java.util.Optional;

/** How a line of the access log is written. Immutable. */
public enum LogFormat {
    /** One JSON object a line; {@code docs/operations.md} names its members. */
    JSON("json", new JsonLines()),
    /** As Apache and nginx have it by the name {@code combined}. */
    COMBINED("combined", new CombinedLines());

    private final String label;
    final LineFormat lines;

    LogFormat(String label, LineFormat lines) {
        this.label = label;
        this.lines = lines;
    }

    /** The name used in the configuration file. */
    public String label() {
        return label;
    }

    /** The format of this name; empty when there is none. */
    public static Optional<LogFormat> of(String label) {
        return Arrays.stream(values()).filter(format -> format.label.equals(label)).findFirst();
    }
}
