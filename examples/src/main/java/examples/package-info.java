// SPDX-License-Identifier: Apache-2.0

/**
 * One file, one idea. Each has a {@code start} for the tests, and a {@code main} for you: build
 * once, then run a file where it stands.
 *
 * <pre>
 *   ./sirocco version
 *   java -cp 'app/target/run/*' examples/src/main/java/examples/Hello.java
 * </pre>
 */
package examples;
