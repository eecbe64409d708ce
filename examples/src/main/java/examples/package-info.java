// SPDX-License-Identifier: Apache-2.0

/**
 * Example programs, one idea in each file. Each has a {@code start} for the tests and a {@code
 * main} for you: build once, then run a file from the top of the source tree. It prints its
 * address, and takes another port as its argument; {@link examples.LiveRush} needs {@link
 * examples.LiveGate}.
 *
 * <pre>
 *   ./sirocco version
 *   java --add-opens=java.base/java.lang=ALL-UNNAMED --enable-native-access=ALL-UNNAMED \
 *       -cp 'app/target/run/*:app/target/run/script/*' examples/src/main/java/examples/Hello.java
 * </pre>
 */
package examples;
