// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the tests that are written in Clojure. */
class ClojureTest {
    @TestFactory
    List<DynamicTest> conformance() {
        return ClojureTests.of("sirocco.ring.conformance");
    }

    @TestFactory
    List<DynamicTest> adapter() {
        return ClojureTests.of("sirocco.ring-test");
    }

    @TestFactory
    List<DynamicTest> channels() {
        return ClojureTests.of("sirocco.ring.channel-test");
    }

    @TestFactory
    List<DynamicTest> webSockets() {
        return ClojureTests.of("sirocco.ring.websocket-test");
    }

    @TestFactory
    List<DynamicTest> application() {
        return ClojureTests.of("sirocco.ring.application-test");
    }

    @TestFactory
    List<DynamicTest> tls() {
        return ClojureTests.of("sirocco.ring.tls-test");
    }
}
