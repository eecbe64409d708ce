// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that make no sense are refused where they are set. */
class ConfigTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, 65_536, 70_000})
    void noPort(int port) {
        var config = new Config();
        var refused = assertThrows(IllegalArgumentException.class, () -> config.port(port));
        assertEquals(
                "port must be 0 (the system chooses one) to 65535, not " + port + ".",
                refused.getMessage());
    }
}
