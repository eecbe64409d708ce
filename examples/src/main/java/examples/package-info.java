// SPDX-License-Identifier: Apache-2.0

/**
 * Example programs, one idea in each file. Each has a {@code start} for the tests and a {@code
 * main} for you: build once, then run a file from the source tree.
 *
 * <pre>
 *   ./sirocco version
 *   java -cp 'app/target/run/*' examples/src/main/java/examples/Hello.java
 * </pre>
 */
package examples;
