// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorityTest {
    @Test
    void anAddressNeedsNoLookUp() {
        assertEquals(
                Optional.of(InetAddress.ofLiteral("127.0.0.1")), Authority.literal("127.0.0.1"));
        assertEquals(Optional.of(InetAddress.ofLiteral("::1")), Authority.literal("[::1]"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1.example", "1.2.3", "10"})
    void aNameIsLookedUp(String host) {
        assertEquals(Optional.empty(), Authority.literal(host));
    }

    @ParameterizedTest
    @ValueSource(strings = {"256.0.0.1", "[127.0.0.1", "[::1", "[example]"})
    void aHostThatOnlyLooksLikeAnAddressIsRefused(String host) {
        assertThrows(IllegalArgumentException.class, () -> Authority.literal(host));
    }
}
