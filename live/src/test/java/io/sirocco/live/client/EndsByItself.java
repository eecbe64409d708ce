// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.concurrent.TimeUnit;

/** A program that connects and closes: its JVM has to end behind {@code main}. */
final class EndsByItself {
    private EndsByItself() {}

    public static void main(String[] arguments) throws Exception {
        LiveClient client = LiveClient.create(arguments[0]);
        client.connect().get(20, TimeUnit.SECONDS);
        client.on("echo", none -> {});
        client.send("echo", 1);
        client.close();
        System.out.println("closed");
    }
}
