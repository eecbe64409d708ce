// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import clojure.java.api.Clojure;
import clojure.lang.IFn;
import clojure.lang.RT;
import clojure.lang.Symbol;
import clojure.lang.Var;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the tests that are written in Clojure, each as a test of its own. */
class ClojureTest {
    private static List<DynamicTest> of(String namespace) {
        Clojure.var("clojure.core", "require").invoke(Symbol.intern("sirocco.test-runner"));
        IFn tests = Clojure.var("sirocco.test-runner", "tests");
        var all = new ArrayList<DynamicTest>();
        for (var each = RT.iter(tests.invoke(Symbol.intern(namespace))); each.hasNext(); ) {
            var test = (Var) each.next();
            all.add(DynamicTest.dynamicTest(test.sym.getName(), () -> run(test)));
        }
        return all;
    }

    private static void run(Var test) {
        Object missing = Clojure.var("sirocco.test-runner", "missing").invoke(test);
        assumeTrue(missing == null, () -> test.sym + ": " + missing);
        Object failures = Clojure.var("sirocco.test-runner", "failures").invoke(test);
        if (failures != null) {
            fail(test.sym + "\n" + failures);
        }
    }

    @TestFactory
    List<DynamicTest> conformance() {
        return of("sirocco.ring.conformance");
    }

    @TestFactory
    List<DynamicTest> adapter() {
        return of("sirocco.ring-test");
    }

    @TestFactory
    List<DynamicTest> channels() {
        return of("sirocco.ring.channel-test");
    }

    @TestFactory
    List<DynamicTest> webSockets() {
        return of("sirocco.ring.websocket-test");
    }

    @TestFactory
    List<DynamicTest> application() {
        return of("sirocco.ring.application-test");
    }

    @TestFactory
    List<DynamicTest> tls() {
        return of("sirocco.ring.tls-test");
    }
}
