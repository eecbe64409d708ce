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

/** The tests of a Clojure namespace, each as a test of its own. */
public final class ClojureTests {
    private ClojureTests() {}

    /** Returns the tests of a namespace. */
    public static List<DynamicTest> of(String namespace) {
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
}
