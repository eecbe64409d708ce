// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Member;
import io.sirocco.live.wire.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/** An event of a client on its way to its listeners. Runs on the thread of the handlers. */
record Event(Client client, String name, Arguments arguments, Answer answer) implements Runnable {

    @Override
    public void run() {
        Listeners all = client.namespace().listeners;
        List<Listeners.Entry> listeners = all.of(name);
        Listeners.Entry answerer = all.answererOf(name);
        boolean matched = listen(listeners);
        if (answerer != null) {
            answer(() -> answerer.call(client, arguments));
        } else if (name.startsWith(Live.OURS)) {
            if (answer != null) {
                answer(this::ours);
            }
        } else if (!listeners.isEmpty() && !matched) {
            refuse("bad_arguments", "nobody listens to a " + name + " of this type");
        } else if (answer == null) {
            if (listeners.isEmpty()) {
                client.namespace().unheard(name);
            }
        } else if (listeners.isEmpty()) {
            answer.fail("unknown_event", "nobody answers " + name);
        } else {
            answer.give();
        }
    }

    private Json json() {
        return client.namespace().hub.json;
    }

    /** Answers whether one of them was meant; what does not fit is reported. */
    private boolean listen(List<Listeners.Entry> listeners) {
        boolean matched = false;
        for (Listeners.Entry each : listeners) {
            if (each.wants(json(), arguments)) {
                matched = true;
                client.call(name, () -> each.call(client, arguments));
            }
        }
        return matched;
    }

    private void answer(Callable<Object> answerer) {
        long began = System.nanoTime();
        try {
            Object value = answerer.call();
            if (value instanceof CompletionStage<?> stage) {
                long most = client.namespace().hub.settings.handlerTimeout.toNanos();
                LaterAnswer.await(this, stage, most - (System.nanoTime() - began));
            } else {
                give(value);
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Answers, if an answer is wanted. Any thread. */
    void give(Object value) {
        if (answer == null) {
            return;
        }
        try {
            answer.give(Arguments.spread(value));
        } catch (IllegalArgumentException e) {
            boolean theirs = value instanceof Arguments; // sent back as they came
            failed(theirs ? RequestException.refused("bad_arguments", e.getMessage()) : e);
        } catch (RequestException e) { // it is too long: the program is to know
            client.namespace().failed(client, name, e);
            failed(e);
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Reports what an answerer threw, and answers so, if an answer is wanted. Any thread. */
    void failed(Throwable thrown) {
        RequestException refusal =
                thrown instanceof RequestException e && e.kind() == RequestException.Kind.REFUSED
                        ? e
                        : null;
        if (answer == null || refusal == null) {
            client.namespace().failed(client, name, thrown);
        }
        if (answer != null && refusal != null) {
            answer.fail(refusal.code(), refusal.getMessage());
        } else if (answer != null) {
            answer.fail("failed", "it failed");
        }
    }

    /** The deadline of handlers is over before the answer has come. */
    void tooLate() {
        if (answer != null) {
            answer.fail("timeout", "the handler has taken too long");
        }
    }

    private void refuse(String code, String message) {
        client.namespace().failed(client, name, RequestException.refused(code, message));
        if (answer != null) {
            answer.fail(code, message);
        }
    }

    /** The answer to a request that we know ourselves. */
    private Object ours() {
        return switch (name) {
            case "sirocco:session" -> client.secrets();
            case "sirocco:presence" ->
                    Map.of("members", Present.of(client.namespace().hub.json, members()));
            default -> throw RequestException.refused("unknown_event", "nobody answers " + name);
        };
    }

    private List<Member> members() {
        String room = arguments.has(0) ? arguments.asString(0) : "";
        if (!client.namespace().hub.hasPresence(room) || !client.rooms().contains(room)) {
            throw RequestException.refused(
                    "forbidden", "only who is in a room with presence may ask");
        }
        try {
            return client.namespace().members(room);
        } catch (BrokerException e) {
            throw RequestException.refused("failed", "it is not known now");
        }
    }
}
