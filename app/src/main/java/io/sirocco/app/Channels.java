// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.LiveLimits;
import io.sirocco.http.Routes;
import io.sirocco.live.Admission;
import io.sirocco.live.Authentication;
import io.sirocco.live.Live;
import io.sirocco.live.LiveSettings;
import io.sirocco.live.Overflow;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.redis.RedisBroker;
import io.sirocco.web.access.Rejections;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The event channels of {@code [live]}: set up as the configuration has it, with the requests that
 * a ready server answers. They live as long as the server, through all reloads. Any thread.
 */
final class Channels implements AutoCloseable {
    private static final int SHORTEST_SECRET = 16;

    private final io.sirocco.app.config.Live wanted;
    private final Optional<String> given;
    private final Live live;
    private final Optional<TicketDoor> door;
    private volatile Optional<String> password;

    /**
     * Sets them up, and connects to the broker.
     *
     * @param given the password that the command line has; it goes before that of the file
     * @throws InvalidConfiguration for what cannot be used
     */
    static Channels open(Configuration configuration, Optional<String> given, Rejections rejections)
            throws InvalidConfiguration {
        try {
            return new Channels(configuration.live(), given, rejections);
        } catch (Misfit e) {
            throw e.in(configuration);
        }
    }

    private Channels(
            io.sirocco.app.config.Live wanted, Optional<String> given, Rejections rejections) {
        this.wanted = wanted;
        this.given = given;
        this.password = password(wanted);
        this.live = created();
        this.door =
                givesTickets()
                        ? Optional.of(new TicketDoor(live, () -> this.password, wanted, rejections))
                        : Optional.empty();
        new ReadyHandlers(live, wanted.publish()).add();
    }

    private Live created() {
        try {
            return Live.create(this::configure);
        } catch (BrokerException | IllegalArgumentException e) {
            throw new Misfit(e, "live", "broker");
        }
    }

    private Optional<String> password(io.sirocco.app.config.Live next) {
        return given.or(() -> next.passwordFile().map(file -> secret(file, 1, "password-file")));
    }

    private boolean givesTickets() {
        return !wanted.tickets().path().isEmpty();
    }

    private static String secret(Path file, int shortest, String option) {
        try {
            String line = Files.readString(file).lines().findFirst().orElse("");
            if (line.length() >= shortest) {
                return line;
            }
            String why = "the first line of %s has %d characters, and needs %d";
            throw new Misfit(
                    new IllegalArgumentException(why.formatted(file, line.length(), shortest)),
                    "live",
                    option);
        } catch (IOException e) {
            throw new Misfit(new UncheckedIOException(file + " cannot be read", e), "live", option);
        }
    }

    // ---- settings

    private void configure(LiveSettings settings) {
        admit(settings);
        if (wanted.origins().contains("*")) {
            settings.anyOrigin();
        } else {
            settings.origins(wanted.origins().toArray(String[]::new));
        }
        settings.transports(wanted.transports().toArray(String[]::new)).recovery(wanted.recovery());
        wanted.histories()
                .forEach(kept -> settings.history(kept.rooms(), kept.messages(), kept.age()));
        wanted.presence().forEach(settings::presence);
        broker().ifPresent(settings::broker);
        limits(settings, wanted.limits());
    }

    private void admit(LiveSettings settings) {
        wanted.tickets()
                .secretFile()
                .map(file -> secret(file, SHORTEST_SECRET, "ticket-secret-file"))
                .ifPresent(secret -> settings.ticketSecret(secret.getBytes()));
        if (givesTickets()) {
            settings.tickets(wanted.tickets().life());
        }
        if (password.isPresent()) {
            settings.password(password.get());
        } else {
            settings.authenticate(attempt -> Admission.anybody());
        }
    }

    private Optional<Broker> broker() {
        String url = wanted.broker().url();
        if (url.equals("memory")) {
            return Optional.empty();
        }
        Optional<String> secret =
                wanted.broker().passwordFile().map(file -> secret(file, 1, "broker-password-file"));
        try {
            return Optional.of(RedisBroker.at(url, redis -> secret.ifPresent(redis::password)));
        } catch (IllegalArgumentException e) {
            throw new Misfit(e, "live", "broker");
        }
    }

    private static void limits(LiveSettings settings, LiveLimits limits) {
        if (limits.clients() > 0) settings.clients(limits.clients());
        if (limits.connects() > 0) {
            settings.connects(limit(limits.connects(), limits.connectsPer(), limits));
        } else {
            settings.anyConnects();
        }
        if (limits.messages() > 0) {
            settings.messages(limit(limits.messages(), limits.messagesPer(), limits));
        }
        settings.bytes(limits.bytes())
                .maxMessage(limits.maxMessage())
                .attachments(limits.attachments())
                .rooms(limits.rooms())
                .unanswered(limits.unanswered())
                .budget(limits.budget(), slow(limits.slow()))
                .ping(limits.ping(), limits.pong())
                .connectDeadline(limits.connect())
                .handlerDeadline(limits.handler());
    }

    private static Overflow slow(String word) {
        return Overflow.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    private static Limit limit(int count, Duration per, LiveLimits limits) {
        return limits.untilSilence()
                ? new Limit.UntilSilence(count, per)
                : new Limit.Bucket(count, per);
    }

    // ---- in the server

    Live live() {
        return live;
    }

    String path() {
        return wanted.path();
    }

    /** Adds their routes, and those of a page to try them out where there is no site. */
    void addTo(Routes routes, boolean page) {
        routes.mount(wanted.path(), live);
        door.ifPresent(tickets -> tickets.addTo(routes));
        if (page) {
            TryPage.addTo(routes, wanted);
        }
    }

    /**
     * Has the password that the file has now be the one, for those who come later; to take it away
     * needs a new start.
     *
     * @throws Misfit when there is none in it
     */
    Runnable renewal(io.sirocco.app.config.Live next) {
        Optional<String> now = password(next);
        return () -> {
            if (now.isPresent() && !now.equals(password)) {
                live.authenticate(a -> admit(a, now.get()));
                password = now;
            }
        };
    }

    private void admit(Authentication authentication, String secret) {
        authentication.password(secret);
        if (givesTickets()) {
            authentication.tickets(wanted.tickets().life());
        }
    }

    /** Says good-bye to whoever is still there, and to the broker. */
    @Override
    public void close() {
        live.close();
    }
}
