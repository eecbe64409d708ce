// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.wire.Json;
import java.util.List;
import java.util.Map;

/** An event of a client on its way to its listeners. Runs on the thread of the handlers. */
record Event(Client client, String name, Arguments arguments, Answer answer) implements Runnable {

    @Override
    public void run() {
        Listeners all = client.namespace().listeners;
        List<Listeners.Entry> listeners = all.of(name);
        Listeners.Entry answerer = all.answererOf(name);
        boolean matched = listen(listeners);
        if (answerer != null) {
            answer(answerer);
        } else if (name.startsWith("sirocco:")) {
            answerOurs();
        } else if (!listeners.isEmpty() && !matched) {
            refuse("bad_arguments", "nobody listens to a " + name + " of this type");
        } else if (listeners.isEmpty()) {
            unknown();
        } else if (answer != null) {
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

    private void answer(Listeners.Entry answerer) {
        try {
            Object value = answerer.call(client, arguments);
            if (answer != null) {
                answer.give(value instanceof Arguments all ? all.values(0) : new Object[] {value});
            }
        } catch (RequestException e) {
            if (answer == null || e.kind() != RequestException.Kind.REFUSED) {
                client.namespace().failed(client, name, e);
            }
            if (answer != null) {
                boolean ours = e.kind() == RequestException.Kind.REFUSED;
                answer.fail(ours ? e.code() : "failed", ours ? e.getMessage() : "it failed");
            }
        } catch (Throwable e) {
            client.namespace().failed(client, name, e);
            if (answer != null) {
                answer.fail("failed", "it failed");
            }
        }
    }

    private void unknown() {
        if (answer != null) {
            answer.fail("unknown_event", "nobody answers " + name);
        }
    }

    private void refuse(String code, String message) {
        client.namespace().failed(client, name, RequestException.refused(code, message));
        if (answer != null) {
            answer.fail(code, message);
        }
    }

    private void answerOurs() {
        if (answer == null) {
            return;
        }
        Hub hub = client.namespace().hub;
        switch (name) {
            case "sirocco:session" -> answer.give(client.secrets());
            case "sirocco:presence" -> {
                String room = arguments.has(0) ? arguments.string(0) : "";
                if (!hub.hasPresence(room) || !client.rooms().contains(room)) {
                    answer.fail("forbidden", "only who is in a room with presence may ask");
                    return;
                }
                try {
                    answer.give(Map.of("members", client.namespace().members(room)));
                } catch (BrokerException e) {
                    answer.fail("failed", "it is not known now");
                }
            }
            default -> unknown();
        }
    }
}
