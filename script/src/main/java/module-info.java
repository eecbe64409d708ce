// SPDX-License-Identifier: Apache-2.0

/** JavaScript endpoints and filters. */
module io.sirocco.script {
    requires transitive io.sirocco.http;
    requires java.management;
    requires jdk.management; // what a thread allocates
    requires org.graalvm.polyglot;

    exports io.sirocco.script;
}
