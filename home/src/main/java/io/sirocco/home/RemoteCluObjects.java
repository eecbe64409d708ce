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
    private final RemoteClients clients;
    private final Inet4Address controller;

    RemoteCluObjects(RemoteClients clients, Inet4Address controller) {
        this.clients = clients;
        this.controller = controller;
    }

    @Override
    public Mqtt.Subscription subscribe(
            List<FeatureName> features, Consumer<List<String>> received) {
        List<List<FeatureName>> groups = groups(features);
        List<List<String>> latest = new ArrayList<>(); // null where none has come; locked
        groups.forEach(group -> latest.add(null));
        List<CluClient.Registration> registrations = new ArrayList<>();
        try {
            CluClient client = clients.client(controller);
            for (int i = 0; i < groups.size(); i++) {
                int number = i;
                int size = groups.get(i).size();
                registrations.add(
                        client.register(
                                table(groups.get(i)),
                                text -> report(latest, number, items(text, size), received)));
            }
        } catch (IOException e) {
            // it cannot be reached; its values are asked for instead
        }
        return () -> registrations.forEach(CluClient.Registration::close);
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
