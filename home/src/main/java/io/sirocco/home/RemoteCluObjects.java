// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.mqtt.Mqtt;
import java.io.IOException;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The objects of another controller, over its protocol. Any thread. */
final class RemoteCluObjects extends ScriptedObjects {
    private static final int MAX_GROUPS = 32;

    private final RemoteClients clients;
    private final Inet4Address controller;

    RemoteCluObjects(RemoteClients clients, Inet4Address controller) {
        this.clients = clients;
        this.controller = controller;
    }

    /**
     * A controller keeps 64 registrations for all of its clients. Of those, this takes half at
     * most.
     */
    @Override
    public int reportable() {
        return MAX_GROUPS * GROUP;
    }

    @Override
    public Mqtt.Subscription subscribe(List<FeatureRef> features, Consumer<List<String>> received) {
        List<List<FeatureRef>> groups = groups(features);
        List<List<String>> latest = new ArrayList<>(); // null where none has come; locked
        groups.forEach(group -> latest.add(null));
        List<Mqtt.Subscription> registrations = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            int number = i;
            int size = groups.get(i).size();
            registrations.add(
                    clients.register(
                            controller,
                            table(groups.get(i)),
                            text -> report(latest, number, items(text, size), received)));
        }
        return () -> registrations.forEach(Mqtt.Subscription::cancel);
    }

    private static void report(
            List<List<String>> latest,
            int group,
            List<String> values,
            Consumer<List<String>> received) {
        List<String> all = new ArrayList<>();
        synchronized (latest) {
            latest.set(group, values);
            for (List<String> each : latest) {
                if (each == null) {
                    return;
                }
                all.addAll(each);
            }
        }
        received.accept(all);
    }

    @Override
    CompletableFuture<String> evaluate(String script) {
        try {
            return clients.client(controller).execute(script);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
