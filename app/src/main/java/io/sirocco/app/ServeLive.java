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

/** {@code sirocco live}: {@code serve} with {@code on = true} in {@code [live]}, and more of it. */
final class ServeLive extends Serve {
    /** Where a password is looked for, that no list of processes shows. */
    static final String VARIABLE = "SIROCCO_PASSWORD";

    private static final String ADMIN = "127.0.0.1:9180";
    private static final Pattern KEPT = Pattern.compile("(.+)=([0-9]{1,7})(?::(.+))?");

    private final Map<String, String> environment;

    private final OptionSpec password =
            option("--password", "P", String.class)
                    .description(
                            "Whoever knows it may come in. All users of this machine can see it in"
                                    + " the list of processes: the variable "
                                    + VARIABLE
                                    + " and --password-file do not show it.")
                    .build();

    private final OptionSpec passwordFile =
            option("--password-file", "FILE", Path.class)
                    .description("A file whose first line is the password.")
                    .build();

    private final OptionSpec jwtSecretFile =
            option("--jwt-secret-file", "FILE", Path.class)
                    .description(
                            "Whoever has a JSON Web Token may come in that was signed with the first"
                                    + " line of this file, 32 bytes or more.")
                    .build();

    private final OptionSpec jwtPublicKeyFile =
            option("--jwt-public-key-file", "FILE", Path.class)
                    .description("The same for the private part of this key, of RSA or EC, in PEM.")
                    .build();

    private final OptionSpec open =
            OptionSpec.builder("--open")
                    .description(
                            "Everybody may come in, also where the network can reach the server."
                                    + " Without it a server for the network needs a password, or a"
                                    + " key of tokens.")
                    .build();

    private final OptionSpec origins =
            several("--origin", "ORIGIN")
                    .description(
                            "Pages that may connect beside our own: https://app.example.org; * for"
                                    + " all. May be repeated.")
                    .build();

    private final OptionSpec recovery =
            option("--recovery", "TIME", Duration.class)
                    .converters(new TimeWord())
                    .description(
                            "Whoever was cut off comes back as the same for so long, and is sent"
                                    + " what they missed. (default: 0s)")
                    .build();

    private final OptionSpec histories =
            several("--history", "ROOMS=N[:TIME]")
                    .description(
                            "Rooms that keep N messages, for an hour or TIME: 'chat/*=1000:1h'."
                                    + " May be repeated.")
                    .build();

    private final OptionSpec presence =
            several("--presence", "ROOMS")
                    .description("Rooms whose members see each other: 'chat/*'. May be repeated.")
                    .build();

    private final OptionSpec connects =
            option("--connects", "N", Integer.class)
                    .description(
                            "How many connections one address may open within 5 s; 0 for any"
                                    + " number. (default: 100)")
                    .build();

    private final OptionSpec messages =
            option("--messages", "N", Integer.class)
                    .description(
                            "How many messages one client may send in a second; 0 for any number."
                                    + " (default: 10000)")
                    .build();

    private final OptionSpec broker =
            option("--broker", "URL", String.class)
                    .description(
                            "What several nodes share: redis://host:6379. A password belongs into a"
                                    + " file: broker-password-file in [live].",
                            "(default: memory)")
                    .build();

    private final OptionSpec admin =
            option("--admin", "ADDRESS", String.class)
                    .description(
                            "Where the console, metrics and publishing over HTTP are; none for"
                                    + " nowhere. (default: that of the file, or "
                                    + ADMIN
                                    + "; a free port beside --port 0)")
                    .build();

    ServeLive(Map<String, String> environment) {
        super(
                "live",
                "Serves event channels for the clients of Socket.IO at /socket.io, with a console"
                        + " for operators; beside them a directory, or what a sirocco.toml says.",
                "Clients may ask for echo, join, leave, publish and history: see docs/live.md. All"
                        + " that is not an option here is one of [live] in sirocco.toml.",
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
                .addOption(admin);
    }

    /** The command, with a {@code ServeLive} behind it. */
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
            throw wrong("--password and --password-file are two passwords: leave one out");
        }
        if (said.isPresent() && said.get().isEmpty()) {
            throw wrong("--password is empty; --open lets everybody in");
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

    /** One of {@code --history}, as a table. */
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
