// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.LiveLimits;
import io.sirocco.http.Routes;
import io.sirocco.live.Authentication;
import io.sirocco.live.Live;
import io.sirocco.live.LiveSettings;
import io.sirocco.live.Overflow;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.redis.RedisBroker;
import io.sirocco.web.access.Rejections;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The event channels of {@code [live]}, with the built-in request handlers. They last as long as
 * the server, across all reloads. Any thread.
 */
final class Channels implements AutoCloseable {
    private static final int SHORTEST_SECRET = 16;
    private static final Duration PER_GUESS = Duration.ofSeconds(6);

    private final io.sirocco.app.config.Live wanted;
    private final Optional<String> given;
    private final Live live;
    private final Optional<TicketEndpoint> ticketEndpoint;
    private volatile Keys keys;

    /**
     * Creates the channels and connects to the broker.
     *
     * @param given the password of the command line, which overrides that of the file
     * @throws InvalidConfiguration if an option cannot be used
     */
    static Channels open(Configuration configuration, Optional<String> given, Rejections rejections)
            throws InvalidConfiguration {
        try {
            return new Channels(configuration.live(), given, rejections);
        } catch (ConfigError e) {
            throw e.invalid(configuration);
        }
    }

    /**
     * Returns the first line of the file, if there is one; a {@link ConfigError} says why it is not
     * usable.
     */
    static Optional<String> ticketSecret(io.sirocco.app.config.Live wanted) {
        return wanted.tickets()
                .secretFile()
                .map(file -> Keys.line(file, SHORTEST_SECRET, "ticket-secret-file"));
    }

    /**
     * Returns the first line of the file, if there is one; a {@link ConfigError} says why it is not
     * usable.
     */
    static Optional<String> brokerPassword(io.sirocco.app.config.Live wanted) {
        return wanted.broker()
                .passwordFile()
                .map(file -> Keys.line(file, 1, "broker-password-file"));
    }

    private Channels(
            io.sirocco.app.config.Live wanted, Optional<String> given, Rejections rejections) {
        this.wanted = wanted;
        this.given = given;
        this.keys = Keys.read(wanted, given);
        this.live = created();
        this.ticketEndpoint =
                givesTickets()
                        ? Optional.of(new TicketEndpoint(live, this::admits, wanted, rejections))
                        : Optional.empty();
        live.authenticate(this::admit);
        new ReadyHandlers(live, wanted.publish()).add();
    }

    private Live created() {
        try {
            return Live.create(this::configure);
        } catch (BrokerException | IllegalArgumentException e) {
            throw new ConfigError(e, "live", "broker");
        }
    }

    private boolean givesTickets() {
        return !wanted.tickets().path().isEmpty();
    }

    /** Returns whether this is the password. */
    private boolean admits(String offered) {
        return keys.admit(offered);
    }

    // ---- settings

    private void configure(LiveSettings settings) {
        tickets(settings);
        if (wanted.origins().contains("*")) {
            settings.anyOrigin();
        } else {
            settings.origins(wanted.origins().toArray(String[]::new));
        }
        settings.transports(wanted.transports().toArray(String[]::new)).recovery(wanted.recovery());
        wanted.histories()
                .forEach(kept -> settings.history(kept.rooms(), kept.messages(), kept.age()));
        wanted.presence().forEach(settings::presence);
        settings.clientTags("*"); // no built-in handler sets or reads any
        broker().ifPresent(settings::broker);
        limits(settings, wanted.limits());
    }

    private void tickets(LiveSettings settings) {
        ticketSecret(wanted).ifPresent(secret -> settings.ticketSecret(secret.getBytes()));
    }

    private void admit(Authentication authentication) {
        keys.addTo(authentication);
        if (givesTickets() && keys.mayGiveTickets()) {
            authentication.tickets(wanted.tickets().life());
        }
    }

    private Optional<Broker> broker() {
        String url = wanted.broker().url();
        if (url.equals("memory")) {
            return Optional.empty();
        }
        Optional<String> secret = brokerPassword(wanted);
        try {
            return Optional.of(
                    RedisBroker.at(
                            url,
                            redis -> {
                                redis.startTimeout(wanted.broker().startTimeout());
                                secret.ifPresent(redis::password);
                            }));
        } catch (IllegalArgumentException e) {
            throw new ConfigError(e, "live", "broker");
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
        } else {
            settings.anyMessages();
        }
        settings.guesses(limits.guesses(), PER_GUESS);
        settings.bytes(limits.bytes())
                .maxMessage(limits.maxMessage())
                .attachments(limits.attachments())
                .rooms(limits.rooms())
                .unanswered(limits.unanswered())
                .replay(limits.replay())
                .budget(limits.budget(), slow(limits.slow()))
                .ping(limits.ping(), limits.pong())
                .connectTimeout(limits.connect())
                .handlerTimeout(limits.handler());
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

    /** Adds the routes of the channels and, if there is no site, of a page to try them. */
    void addTo(Routes routes, boolean page) {
        routes.mount(wanted.path(), live);
        ticketEndpoint.ifPresent(tickets -> tickets.addTo(routes));
        if (page) {
            TryPage.addTo(routes, wanted);
        }
    }

    /**
     * Reads the password and the keys again, and returns a task that applies them to new clients.
     * To admit everyone needs a restart.
     *
     * @throws ConfigError if one cannot be used
     */
    Runnable renewal(io.sirocco.app.config.Live next) {
        Keys now = Keys.read(next, given);
        return () -> {
            if (!now.areNone()) {
                keys = now;
                live.authenticate(this::admit);
            }
        };
    }

    /** Sends close messages to the connected clients and disconnects from the broker. */
    @Override
    public void close() {
        live.close();
    }
}
