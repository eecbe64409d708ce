// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Overrides;
import io.sirocco.bench.command.TimeWord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code sirocco live}: {@code serve} with {@code on = true} and further options of {@code [live]}.
 */
final class ServeLive extends Serve {
    /** The environment variable for the password, which the process list does not show. */
    static final String VARIABLE = "SIROCCO_PASSWORD";

    private static final String ADMIN = "127.0.0.1:9180";
    private static final Pattern KEPT = Pattern.compile("(.+)=([0-9]{1,7})(?::(.+))?");

    private final Map<String, String> environment;

    private final OptionSpec password =
            option("--password", "P", String.class)
                    .description(
                            "The password of clients. All users of this machine can see it in the"
                                    + " process list; --password-file or the variable "
                                    + VARIABLE
                                    + " keep it secret.")
                    .build();

    private final OptionSpec passwordFile =
            option("--password-file", "FILE", Path.class)
                    .description("A file whose first line is the password.")
                    .build();

    private final OptionSpec jwtSecretFile =
            option("--jwt-secret-file", "FILE", Path.class)
                    .description(
                            "Accept JSON Web Tokens that are signed (HS256) with the first line of"
                                    + " this file, 32 bytes or more.")
                    .build();

    private final OptionSpec jwtPublicKeyFile =
            option("--jwt-public-key-file", "FILE", Path.class)
                    .description(
                            "Accept JSON Web Tokens that are signed with the private key of this"
                                    + " public key (RSA or EC, as PEM).")
                    .build();

    private final OptionSpec open =
            OptionSpec.builder("--open")
                    .description(
                            "Admit clients without credentials, even from the network. Without this"
                                    + " option, a server that the network can reach needs a password"
                                    + " or a token key.")
                    .build();

    private final OptionSpec origins =
            several("--origin", "ORIGIN")
                    .description(
                            "An origin whose pages may connect, besides this server:"
                                    + " https://app.example.org; https://*.example.org; null;"
                                    + " file://; * for all. Can be repeated.")
                    .build();

    private final OptionSpec recovery =
            option("--recovery", "TIME", Duration.class)
                    .converters(new TimeWord())
                    .description(
                            "Session recovery: a client that reconnects within this time receives"
                                    + " the messages that it missed. (default: 0s)")
                    .build();

    private final OptionSpec histories =
            several("--history", "ROOMS=N[:TIME]")
                    .description(
                            "Rooms that keep N messages for TIME (default: 1h): 'chat/*=1000:1h'."
                                    + " Can be repeated.")
                    .build();

    private final OptionSpec presence =
            several("--presence", "ROOMS")
                    .description("Rooms whose members see each other: 'chat/*'. Can be repeated.")
                    .build();

    private final OptionSpec connects =
            option("--connects", "N", Integer.class)
                    .description(
                            "The maximum number of connects of one address per 5 s; 0: no limit."
                                    + " (default: 100)")
                    .build();

    private final OptionSpec messages =
            option("--messages", "N", Integer.class)
                    .description(
                            "The maximum number of messages of one client per second; 0: no limit."
                                    + " (default: 10000)")
                    .build();

    private final OptionSpec broker =
            option("--broker", "URL", String.class)
                    .description(
                            "The broker that connects several nodes: redis://host:6379; it needs"
                                    + " --ticket-secret-file. Put its password into a file:"
                                    + " broker-password-file in [live].",
                            "(default: memory)")
                    .build();

    private final OptionSpec ticketSecretFile =
            option("--ticket-secret-file", "FILE", Path.class)
                    .description(
                            "A file whose first line, 16 bytes or more, signs tickets: the same on"
                                    + " all nodes of a broker.")
                    .build();

    private final OptionSpec admin =
            option("--admin", "ADDRESS", String.class)
                    .description(
                            "The address of the admin server, with console, metrics and publishing"
                                    + " over HTTP; 'none' disables it. (default: that of the file, or "
                                    + ADMIN
                                    + "; a free port with --port 0)")
                    .build();

    ServeLive(Map<String, String> environment) {
        super(
                "live",
                "Serves event channels for Socket.IO clients at /socket.io, with a console for"
                        + " operators, and a directory or the sites of a configuration file.",
                "Clients can send the requests echo, join, leave, publish and history; see"
                        + " docs/live.md. Further options are in [live] of sirocco.toml.",
                "");
        this.environment = environment;
        spec.addOption(password)
                .addOption(passwordFile)
                .addOption(jwtSecretFile)
                .addOption(jwtPublicKeyFile)
                .addOption(open)
                .addOption(origins)
                .addOption(recovery)
                .addOption(histories)
                .addOption(presence)
                .addOption(connects)
                .addOption(messages)
                .addOption(broker)
                .addOption(ticketSecretFile)
                .addOption(admin);
    }

    /** Returns the command. */
    static CommandSpec command() {
        return new ServeLive(System.getenv()).spec;
    }

    private static OptionSpec.Builder several(String name, String value) {
        return OptionSpec.builder(name)
                .paramLabel(value)
                .arity("1")
                .type(List.class)
                .auxiliaryTypes(String.class);
    }

    @Override
    Source source() {
        Source source = super.source();
        return new Source(source.file(), source.overrides().with(password(), options()));
    }

    private Optional<String> password() {
        Optional<String> said = given(password, String.class);
        boolean file = given(passwordFile, Path.class).isPresent();
        if (said.isPresent() && file) {
            throw wrong("--password and --password-file exclude each other");
        }
        if (said.isPresent() && said.get().isEmpty()) {
            throw wrong("--password is empty; --open admits everyone");
        }
        return said.isPresent() || file
                ? said
                : Optional.ofNullable(environment.get(VARIABLE)).filter(text -> !text.isEmpty());
    }

    private List<Overrides.Option> options() {
        var all = new ArrayList<Overrides.Option>();
        all.add(live("on", true, "live"));
        file(passwordFile, "password-file").ifPresent(all::add);
        file(jwtSecretFile, "jwt-secret-file").ifPresent(all::add);
        file(jwtPublicKeyFile, "jwt-public-key-file").ifPresent(all::add);
        file(ticketSecretFile, "ticket-secret-file").ifPresent(all::add);
        given(open, Boolean.class)
                .filter(Boolean::booleanValue)
                .ifPresent(yes -> all.add(live("open", true, "--open")));
        texts(origins).ifPresent(list -> all.add(live("origins", list, "--origin")));
        given(recovery, Duration.class)
                .ifPresent(
                        time -> {
                            String text = time.toMillis() + "ms";
                            all.add(live("recovery", text, "--recovery " + text));
                        });
        texts(histories)
                .ifPresent(
                        list ->
                                all.add(
                                        live(
                                                "history",
                                                list.stream().map(this::kept).toList(),
                                                "--history " + String.join(" ", list))));
        texts(presence).ifPresent(list -> all.add(live("presence", list, "--presence")));
        given(connects, Integer.class)
                .map(n -> within("--connects", n, 0, 1_000_000_000))
                .ifPresent(n -> all.add(live("connects", n, "--connects " + n)));
        given(messages, Integer.class)
                .map(n -> within("--messages", n, 0, 1_000_000_000))
                .ifPresent(n -> all.add(live("messages", n, "--messages " + n)));
        given(broker, String.class).ifPresent(url -> all.add(live("broker", url, "--broker")));
        all.add(admin());
        return all;
    }

    private static Overrides.Option live(String key, Object value, String words) {
        return new Overrides.Option("live", key, value, words, true);
    }

    private Optional<Overrides.Option> file(OptionSpec option, String key) {
        return given(option, Path.class)
                .map(path -> live(key, path.toAbsolutePath().toString(), "--" + key + " " + path));
    }

    @SuppressWarnings("unchecked")
    private static Optional<List<String>> texts(OptionSpec option) {
        return Optional.ofNullable((List<String>) option.getValue());
    }

    /** Returns a value of {@code --history} as a table. */
    private Map<String, Object> kept(String word) {
        Matcher parts = KEPT.matcher(word);
        if (!parts.matches()) {
            throw wrong("--history '" + word + "' is not ROOMS=N or ROOMS=N:TIME");
        }
        var table = new LinkedHashMap<String, Object>();
        table.put("rooms", parts.group(1));
        table.put("messages", Long.parseLong(parts.group(2)));
        if (parts.group(3) != null) {
            table.put("age", parts.group(3));
        }
        return table;
    }

    private Overrides.Option admin() {
        Optional<String> said = given(admin, String.class);
        String usual = port().filter(n -> n == 0).isPresent() ? "127.0.0.1:0" : ADMIN;
        String address = said.orElse(usual);
        return new Overrides.Option(
                "admin",
                "address",
                address.equals("none") ? "" : address,
                "--admin " + address,
                said.isPresent());
    }
}
