// SPDX-License-Identifier: Apache-2.0
package org.httpkit;

import io.sirocco.ring.ClojureTests;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the tests that are written in Clojure. */
class ServerTest {
    @TestFactory
    List<DynamicTest> server() {
        return ClojureTests.of("org.httpkit.server-test");
    }
}
