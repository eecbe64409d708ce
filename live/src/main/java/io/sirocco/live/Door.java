// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Session;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/**
 * Lets a client in, or not, or back in as the one that it was. On a virtual thread: it may wait for
 * the program and for the broker. Used by one thread.
 */
final class Door implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);
    private static final int MOST_MISSED = 10_000;

    private final Link link;
    private final Hub hub;
    private final Namespace namespace;
    private final JsonNode auth;

    Door(Link link, Namespace namespace, JsonNode auth) {
        this.link = link;
        this.hub = link.hub;
        this.namespace = namespace;
        this.auth = auth;
    }

    @Override
    public void run() {
        try {
            decide().ifPresent(this::admit);
        } catch (Throwable e) {
            LOG.get().log(Level.ERROR, "a client could not be let in", e);
            refuse("the server failed", "failed");
        }
    }

    private void refuse(String message, String code) {
        link.run(() -> link.refused(namespace.name(), message, code));
    }

    /** Nothing when it was refused. */
    private Optional<Admission.Admitted> decide() {
        List<Authenticator> all =
                namespace.authenticators().or(() -> hub.namespace("/").authenticators()).get();
        if (all.isEmpty()) {
            return Optional.of(Admission.anybody());
        }
        var why = new LinkedHashSet<String>();
        String code = "unauthorized";
        var attempt = new Attempt(hub.json, namespace.name(), link.session.peer(), auth);
        for (Authenticator each : all) {
            try {
                switch (each.admit(attempt)) {
                    case Admission.Admitted admitted when admitted.isOver() ->
                            why.add("the time for that is over");
                    case Admission.Admitted admitted -> {
                        return Optional.of(admitted);
                    }
                    case Admission.Refused(String message) -> why.add(message);
                }
            } catch (BrokerException e) { // what they have may be good
                LOG.get().log(Level.WARNING, "a ticket cannot be looked up: {0}", e);
                why.add("the server cannot say now");
                code = "unavailable";
            } catch (RequestException e) { // what they have does not fit
                why.add(e.getMessage());
            } catch (Exception e) {
                LOG.get().log(Level.ERROR, "an authenticator failed", e);
                why.add("the server failed");
            }
        }
        refuse(String.join("; ", why), code);
        return Optional.empty();
    }

    private void admit(Admission.Admitted admitted) {
        boolean offsets = hub.recovers() && auth.path("offsets").asBoolean(true);
        JsonNode pid = auth.path("pid");
        boolean wants = offsets && pid.isString();
        if (wants && recover(admitted, pid.stringValue())) {
            return;
        }
        Client client = Client.fresh(namespace, admitted, offsets, Client.tagsOf(auth));
        client.life.enter(link);
        if (wants && auth.path("offset").isString()) {
            client.gap(Map.of("recovered", false));
        }
    }

    private boolean recover(Admission.Admitted admitted, String pid) {
        try {
            Optional<Session> kept = Hub.await(hub.broker.take(namespace.name(), pid));
            return kept.isPresent() && recover(admitted, kept.get());
        } catch (BrokerException e) {
            LOG.get().log(Level.WARNING, "nobody can be recovered: {0}", e);
            return false;
        }
    }

    private boolean recover(Admission.Admitted admitted, Session kept) {
        Optional<Client> here = namespace.client(kept.client()).filter(c -> c.hasPid(kept.pid()));
        Optional<Position> after = offset();
        Collection<String> rooms = here.<Collection<String>>map(Client::rooms).orElse(kept.rooms());
        boolean same = kept.user().equals(admitted.user().orElse(""));
        if (after.isEmpty() || !same || !rooms.stream().allMatch(admitted::mayJoin)) {
            here.ifPresent(client -> client.life.giveUp(Reason.LOST));
            return false;
        }
        Client client =
                here.orElseGet(
                        () -> Client.recovered(namespace, kept, admitted, Client.tagsOf(auth)));
        client.admitted(admitted);
        var back = new CompletableFuture<Boolean>();
        client.life.comeBack(link, back);
        if (!back.join()) {
            return true; // the link is gone: the client waits for the next
        }
        client.life.keep(); // for one that is impatient, and goes to another node meanwhile
        Replay replay = replay(client, after.get());
        if (replay.gap()) {
            link.run(() -> link.expect(namespace.name())); // another comes in its place
            client.life.giveUp(Reason.LOST);
            return false;
        }
        client.life.resume(link, replay);
        return true;
    }

    private Replay replay(Client client, Position after) {
        try {
            List<String> rooms = List.copyOf(client.rooms());
            return Hub.await(
                    hub.broker.replay(after, namespace.name(), client.id(), rooms, MOST_MISSED));
        } catch (BrokerException e) {
            LOG.get().log(Level.WARNING, "nobody can be recovered: {0}", e);
            return new Replay(List.of(), true, after);
        }
    }

    private Optional<Position> offset() {
        JsonNode offset = auth.path("offset");
        if (!offset.isString()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Position.parse(offset.stringValue()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
