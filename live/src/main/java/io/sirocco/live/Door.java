// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Session;
import io.sirocco.live.wire.WireException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/**
 * Lets a client in, or not, or back in as the one that it was. On a virtual thread: it may wait for
 * the program and for the broker. Used by one thread.
 */
final class Door implements Runnable {
    private static final Set<String> NO_SECRETS = Set.of("offsets", "tags");
    private static final String UNAVAILABLE = "unavailable";

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
            hub.failures.log("connect", "a client could not be let in", e);
            refuse("the server has failed: try again", UNAVAILABLE);
        }
    }

    private void refuse(String message, String code) {
        refuse(new Admission.Refused(code, message, Map.of(), false));
    }

    private void refuse(Admission.Refused refused) {
        String why = link.connectError(refused.code(), refused.message(), refused.data());
        link.run(() -> link.refused(namespace.name(), refused.code(), why));
    }

    /** Nothing when it was refused. */
    private Optional<Admission.Admitted> decide() {
        List<Authenticator> all =
                namespace.authenticators().or(() -> hub.namespace("/").authenticators()).get();
        if (all.isEmpty()) {
            return Optional.of(Admission.anybody());
        }
        if (!offers()) {
            return verify(all).admitted();
        }
        String address = link.session.peer().address();
        Duration wait = hub.guesses.take(address);
        if (wait.isPositive()) {
            long seconds = wait.plusMillis(999).toSeconds();
            refuse("too many wrong attempts: the next may be in " + seconds + " s", "limited");
            return Optional.empty();
        }
        boolean wrong = false;
        try {
            Verdict verdict = verify(all);
            wrong = verdict.wrong();
            return verdict.admitted();
        } finally {
            hub.guesses.verified(address, wrong);
        }
    }

    /**
     * The result of all authenticators.
     *
     * @param admitted empty if the client was refused
     * @param wrong whether the refusal counts as a wrong guess, if the client has offered something
     */
    private record Verdict(Optional<Admission.Admitted> admitted, boolean wrong) {}

    private Verdict verify(List<Authenticator> all) {
        var why = new LinkedHashSet<String>();
        var missing = new LinkedHashSet<String>(); // said if nothing else is wrong
        Optional<Admission.Refused> own = Optional.empty(); // the first with a code of its own
        boolean unknown = false;
        boolean wrong = false; // a secret that was verified
        boolean guess = false; // or something that a program has refused
        var attempt = new Attempt(hub.json, namespace.name(), link.session.peer(), auth);
        for (Authenticator each : all) {
            try {
                switch (each.admit(attempt)) {
                    case Admission.Admitted admitted when admitted.isOver(link.now()) ->
                            why.add("the time for that is over");
                    case Admission.Admitted admitted -> {
                        return new Verdict(Optional.of(admitted), false);
                    }
                    case Admission.Refused refused -> {
                        boolean ours = each instanceof Authentication.Credential;
                        boolean unsent =
                                each instanceof Authentication.Credential credential
                                        && credential.isMissing(attempt);
                        (unsent ? missing : why).add(refused.message());
                        wrong |= ours && refused.guess();
                        guess |= refused.guess();
                        own = own.or(() -> Optional.of(refused).filter(Admission.Refused::isOwn));
                    }
                }
            } catch (BrokerException e) { // what they have may be good
                hub.failures.log("ticket", "a ticket cannot be looked up", e);
                unknown = true;
            } catch (RequestException e) { // what they have does not fit
                why.add(e.getMessage());
            } catch (Exception | LinkageError | StackOverflowError e) { // it may be good, too
                hub.failures.log("authenticator", "an authenticator failed", e);
                unknown = true;
            }
        }
        if (unknown) { // what others say is not why
            refuse("the server cannot check that now: try again", UNAVAILABLE);
        } else if (own.isPresent()) {
            refuse(own.get());
        } else {
            refuse(String.join("; ", why.isEmpty() ? missing : why), Admission.UNAUTHORIZED);
        }
        return new Verdict(Optional.empty(), wrong || guess && !unknown);
    }

    /** Whether there is something in {@code auth} beside what says nothing of who it is. */
    private boolean offers() {
        return auth.propertyNames().stream().anyMatch(name -> !NO_SECRETS.contains(name));
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
        if (wants) { // without an offset, too: it was cut off before it had one
            client.gap(Map.of("recovered", false));
        }
    }

    private boolean recover(Admission.Admitted admitted, String pid) {
        try {
            Optional<Session> kept = Hub.await(hub.broker.take(namespace.name(), pid));
            return kept.isPresent() && recover(admitted, kept.get());
        } catch (BrokerException e) {
            hub.failures.log("recovery", "nobody can be recovered", e);
            return false;
        }
    }

    private boolean recover(Admission.Admitted admitted, Session kept) {
        Optional<Client> here = namespace.withPid(kept.pid());
        Optional<Position> after = offset();
        Collection<String> rooms =
                here.<Collection<String>>map(Client::rooms).orElse(kept.rooms().keySet());
        boolean same = kept.user().equals(admitted.user().orElse(""));
        if (after.isEmpty() || !same || !rooms.stream().allMatch(admitted::mayJoin)) {
            here.ifPresent(client -> client.life.giveUp(Reason.LOST));
            return false;
        }
        Client client = returning(admitted, kept);
        boolean back = comesBack(client, admitted);
        if (!back && here.isPresent() && client.life.isEnding()) { // just now, on this node
            client = returning(admitted, kept);
            back = comesBack(client, admitted);
        }
        if (!back) {
            return true; // the link is gone, or another was quicker: the client waits for the next
        }
        client.life.keep(); // for one that is impatient, and goes to another node meanwhile
        Map<String, Position> asked = client.rooms.joined();
        Replay replay = replay(client, asked, after.get());
        boolean stuck = !replay.messages().isEmpty() && client.isStuck(after.get());
        if (stuck) {
            hub.failures.logLine(
                    "replay",
                    "a client comes back as a new one: each time it was sent what it had missed, it"
                            + " lost its connection",
                    new WireException("the event behind " + after.get() + " is not taken"));
        }
        if (replay.gap() || stuck) {
            link.run(() -> link.expect(namespace.name())); // another comes in its place
            client.life.giveUp(Reason.LOST);
            return false;
        }
        client.life.resume(link, asked, replay);
        return true;
    }

    private Client returning(Admission.Admitted admitted, Session kept) {
        return namespace.returning(
                kept.pid(),
                () -> Client.recovered(namespace, kept, admitted, Client.tagsOf(auth), link));
    }

    private boolean comesBack(Client client, Admission.Admitted admitted) {
        client.admitted(admitted);
        var back = new CompletableFuture<Boolean>();
        client.life.comeBack(link, back);
        return back.join();
    }

    private Replay replay(Client client, Map<String, Position> rooms, Position after) {
        try {
            return ReplayPump.read(client, rooms, after, hub.settings.replay);
        } catch (BrokerException e) {
            hub.failures.log("recovery", "nobody can be recovered", e);
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
