// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.MemoryBroker;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Stands between a node and its broker. */
final class Between {
    private Between() {}

    /** Answers a call in the place of the broker, whom it may ask. */
    interface Instead {
        CompletionStage<?> answer(Object[] arguments, Callable<CompletionStage<?>> broker)
                throws Exception;
    }

    /** A memory; what it answers to {@code method} becomes what {@code change} makes of it. */
    static Broker memory(String method, UnaryOperator<CompletionStage<?>> change) {
        return memory(method, (arguments, broker) -> change.apply(broker.call()));
    }

    /** A memory; calls of {@code method} come to {@code instead}. */
    static Broker memory(String method, Instead instead) {
        return memory(MemoryBroker.create(), method, instead);
    }

    /** The same with this one. */
    static Broker memory(MemoryBroker memory, String method, Instead instead) {
        return memory(memory, Set.of(method), instead);
    }

    /** A memory; calls of {@code methods} come to {@code instead}. */
    static Broker memory(Set<String> methods, Instead instead) {
        return memory(MemoryBroker.create(), methods, instead);
    }

    private static Broker memory(MemoryBroker memory, Set<String> methods, Instead instead) {
        Class<?>[] type = {Broker.class};
        return (Broker)
                Proxy.newProxyInstance(
                        Broker.class.getClassLoader(),
                        type,
                        (proxy, called, arguments) -> {
                            if (!methods.contains(called.getName())) {
                                return called.invoke(memory, arguments);
                            }
                            return instead.answer(
                                    arguments,
                                    () -> (CompletionStage<?>) called.invoke(memory, arguments));
                        });
    }
}
