// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Overrides;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code sirocco proxy}: {@code serve} with a site whose routes have the action {@code proxy}, and
 * no file.
 */
final class ServeProxy extends Serve {
    private static final Pattern ROUTE = Pattern.compile("(\\*|/.*?)=((?:https?://|unix:).+)");

    private static final String EXAMPLE = "'/api/*=http://10.0.0.1:8080'";

    private final PositionalParamSpec routes =
            PositionalParamSpec.builder()
                    .paramLabel("PATTERN=URL[,URL...]")
                    .arity("1..*")
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .description(
                            "A path and the servers that its requests are forwarded to, in turns:"
                                    + " '/api/*=http://10.0.0.1:8080,http://10.0.0.2:8080'. '*'"
                                    + " stands for all paths. A URL is http://HOST[:PORT],"
                                    + " https://HOST[:PORT] or unix:PATH.")
                    .build();

    private final OptionSpec admin =
            option("--admin", "ADDRESS", String.class)
                    .description(
                            "The address of the admin server, with metrics and a dashboard:"
                                    + " 127.0.0.1:9180. (default: none)")
                    .build();

    private ServeProxy() {
        super(
                "proxy",
                List.of(
                        "Forwards requests to other HTTP servers, and balances them over several.",
                        "SIGTERM and Ctrl-C stop the proxy after the requests in progress. More"
                                + " settings, such as health checks, are in [[upstream]] of"
                                + " sirocco.toml, for 'sirocco serve'; see docs/proxy.md.",
                        ""));
        spec.addPositional(routes).addOption(admin);
    }

    /** Returns the command. */
    static CommandSpec command() {
        return new ServeProxy().spec;
    }

    @Override
    Source source() {
        Overrides overrides = super.source().overrides();
        return new Source(Optional.empty(), overrides.with(Optional.empty(), options()));
    }

    @SuppressWarnings("unchecked")
    private List<Overrides.Option> options() {
        List<String> words = (List<String>) routes.getValue();
        if (words == null) throw wrong("PATTERN=URL is missing, such as " + EXAMPLE);
        var upstreams = new ArrayList<Map<String, Object>>();
        var forwards = new ArrayList<Map<String, Object>>();
        for (String word : words) {
            Matcher parts = ROUTE.matcher(word);
            if (!parts.matches() && word.matches("(https?://|unix:).+")) {
                throw wrong("a path is missing before '" + word + "': write '*=" + word + "'");
            }
            if (!parts.matches()) {
                throw wrong("'" + word + "' is not PATTERN=URL, such as " + EXAMPLE);
            }
            String path = parts.group(1).equals("*") ? "/*" : parts.group(1);
            List<String> urls = List.of(parts.group(2).split(","));
            var forward = new LinkedHashMap<String, Object>();
            forward.put("path", path);
            forward.put("proxy", urls.size() == 1 ? urls.getFirst() : path);
            forwards.add(forward);
            if (urls.size() > 1) {
                var upstream = new LinkedHashMap<String, Object>();
                upstream.put("name", path);
                upstream.put("servers", urls);
                upstreams.add(upstream);
            }
        }
        String all = String.join(" ", words);
        var options = new ArrayList<Overrides.Option>();
        if (!upstreams.isEmpty()) {
            options.add(new Overrides.Option("", "upstream", upstreams, all, true));
        }
        options.add(
                new Overrides.Option("", "site", List.of(Map.of("route", forwards)), all, true));
        given(admin, String.class)
                .filter(address -> !address.equals("none"))
                .ifPresent(
                        address ->
                                options.add(
                                        new Overrides.Option(
                                                "admin",
                                                "address",
                                                address,
                                                "--admin " + address,
                                                true)));
        return options;
    }
}
