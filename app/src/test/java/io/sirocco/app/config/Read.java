// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;

/** Reads texts of configurations in tests. */
final class Read {
    private Read() {}

    /** A valid one, whose paths are relative to the working directory. */
    static Configuration valid(String text) {
        return valid(text, Overrides.NONE);
    }

    static Configuration valid(String text, Overrides overrides) {
        try {
            return read(text, Path.of("").toAbsolutePath(), overrides);
        } catch (InvalidConfiguration invalid) {
            throw new AssertionError(text, invalid);
        }
    }

    /** What is said of one that is wrong. */
    static String problems(String text, Overrides overrides) {
        Path folder = Path.of("").toAbsolutePath();
        return assertThrows(InvalidConfiguration.class, () -> read(text, folder, overrides))
                .getMessage();
    }

    static Configuration read(String text, Path folder, Overrides overrides)
            throws InvalidConfiguration {
        var reading = new Reading(folder, new Report(), overrides.password().isPresent());
        return Configuration.parse(Source.of("test.toml", folder, text), overrides, reading);
    }
}
