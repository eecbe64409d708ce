// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.MemoryBroker;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Stands between a node and its broker. */
final class Between {
    private Between() {}

    /** A memory; what it answers to {@code method} becomes what {@code change} makes of it. */
    static Broker memory(String method, UnaryOperator<CompletionStage<?>> change) {
        MemoryBroker memory = MemoryBroker.create();
        Class<?>[] type = {Broker.class};
        return (Broker)
                Proxy.newProxyInstance(
                        Broker.class.getClassLoader(),
                        type,
                        (proxy, called, arguments) -> {
                            Object result = called.invoke(memory, arguments);
                            return called.getName().equals(method)
                                    ? change.apply((CompletionStage<?>) result)
                                    : result;
                        });
    }
}
