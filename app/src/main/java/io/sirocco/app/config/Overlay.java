// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Node.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Overrides the options of a file by those of the command line, before either is checked. Both have
 * the same rules and messages, and the options of the command line survive each reload.
 *
 * <ul>
 *   <li>{@code --loops}, {@code --transport}, {@code --idle} and the options of {@code sirocco
 *       live} and {@code sirocco proxy} replace their counterparts in the file.
 *   <li>{@code --host} and {@code --port} change the only address of a file; several addresses are
 *       replaced by one plain address, with a warning.
 *   <li>{@code --tls-self-signed} switches all addresses to HTTPS, unless the file has HTTPS
 *       already.
 *   <li>DIR is the root of the site without hosts, which is added if there is none; {@code
 *       --listing} lists its directories.
 * </ul>
 *
 * Used by one thread.
 */
final class Overlay {
    private final Overrides overrides;
    private final Report report;

    Overlay(Overrides overrides, Report report) {
        this.overrides = overrides;
        this.report = report;
    }

    Fields over(Fields file) {
        Fields all = file;
        if (overrides.loops().isPresent()) {
            int loops = overrides.loops().get();
            all = set(all, "server", "loops", new Node.Whole(loops, said("--loops " + loops)));
        }
        if (overrides.transport().isPresent()) {
            String label = overrides.transport().get().label();
            all = set(all, "server", "transport", text(label, "--transport " + label));
        }
        if (overrides.idle().isPresent()) {
            String idle = Quantity.text(overrides.idle().get());
            all = set(all, "timeouts", "idle", text(idle, "--idle " + idle));
        }
        for (Overrides.Option option : overrides.options()) {
            SourcePosition position = said(option.words());
            if (option.over() || !says(all, option)) {
                all = set(all, option.table(), option.key(), node(option.value(), position));
            }
        }
        return root(selfSigned(address(all)));
    }

    private static boolean says(Fields all, Overrides.Option option) {
        return all.value(option.table()) instanceof Fields(var fields, _)
                && fields.containsKey(option.key());
    }

    /** Leaves a value that is not a table alone: it has its own error. */
    private static Fields set(Fields all, String table, String key, Node value) {
        if (table.isEmpty()) return all.with(key, value);
        Node old = all.value(table);
        if (old != null && !(old instanceof Fields)) return all;
        Fields fields = old == null ? Fields.of(value.position(), Map.of()) : (Fields) old;
        return all.with(table, fields.with(key, value));
    }

    private Fields address(Fields all) {
        if (overrides.host().isEmpty() && overrides.port().isEmpty()) return all;
        String words =
                overrides.host().map(host -> "--host " + host + " ").orElse("")
                        + overrides.port().map(port -> "--port " + port).orElse("");
        SourcePosition position = said(words.strip());
        List<Fields> given = tables(all, "listen");
        Fields base = given.size() == 1 ? given.getFirst() : Fields.of(position, Map.of());
        String address = overridden(base.value("address"));
        if (given.size() > 1) {
            report.warning(
                    position,
                    "\"%2$s\" replaces the %1$d [[listen]] tables of the file"
                            .formatted(given.size(), address),
                    "without this option the server listens on all of them");
        }
        Fields only = base.with("address", new Node.Text(address, position));
        return all.with("listen", new Node.Items(List.of(only), position));
    }

    /** Returns the address of the file with the host or port of the command line. */
    private String overridden(Node file) {
        String given = file instanceof Node.Text(String text, _) ? text : "";
        if (given.startsWith("unix:") || !given.contains(":")) given = Listen.USUAL;
        int colon = given.lastIndexOf(':');
        String host =
                overrides
                        .host()
                        .map(name -> name.contains(":") ? "[" + name + "]" : name)
                        .orElse(given.substring(0, colon));
        String port = overrides.port().map(Object::toString).orElse(given.substring(colon + 1));
        return host + ":" + port;
    }

    private Fields selfSigned(Fields all) {
        if (!overrides.selfSigned()) return all;
        Node on = new Node.Flag(true, said("--tls-self-signed"));
        List<Fields> given = tables(all, "listen");
        if (given.isEmpty()) given = List.of(Fields.of(on.position(), Map.of()));
        boolean some =
                given.stream()
                        .anyMatch(
                                listen ->
                                        listen.value("tls") instanceof Fields
                                                || listen.value("tls")
                                                                instanceof Node.Flag(boolean tls, _)
                                                        && tls);
        List<Node> secured = new ArrayList<>();
        for (Fields listen : given) {
            boolean redirects = listen.all().containsKey("redirect-to-https");
            secured.add(some || redirects ? listen : listen.with("tls", on));
        }
        return set(
                all.with("listen", new Node.Items(secured, on.position())),
                "tls",
                "self-signed",
                on);
    }

    private Fields root(Fields all) {
        if (overrides.directory().isEmpty()) return all;
        String directory = overrides.directory().get().toAbsolutePath().toString();
        Node root = text(directory, directory);
        List<Node> sites = new ArrayList<>(tables(all, "site"));
        for (int i = 0; i < sites.size(); i++) {
            Fields site = (Fields) sites.get(i);
            Node hosts = site.value("hosts");
            if (hosts == null || hosts instanceof Node.Items(var names, _) && names.isEmpty()) {
                sites.set(i, listed(site.with("root", root)));
                return all.with("site", new Node.Items(sites, root.position()));
            }
        }
        sites.add(listed(Fields.of(root.position(), Map.of("root", root))));
        return all.with("site", new Node.Items(sites, root.position()));
    }

    private Fields listed(Fields site) {
        return overrides.listing()
                ? site.with("listing", new Node.Flag(true, said("--listing")))
                : site;
    }

    private static List<Fields> tables(Fields all, String key) {
        if (!(all.value(key) instanceof Node.Items(List<Node> items, _))) return List.of();
        return items.stream().filter(Fields.class::isInstance).map(Fields.class::cast).toList();
    }

    private static Node node(Object value, SourcePosition position) {
        return switch (value) {
            case Boolean flag -> new Node.Flag(flag, position);
            case Number number -> new Node.Whole(number.longValue(), position);
            case List<?> items ->
                    new Node.Items(
                            items.stream().map(item -> node(item, position)).toList(), position);
            case Map<?, ?> fields -> {
                Fields all = Fields.of(position, Map.of());
                for (Map.Entry<?, ?> field : fields.entrySet()) {
                    all = all.with(field.getKey().toString(), node(field.getValue(), position));
                }
                yield all;
            }
            default -> new Node.Text(value.toString(), position);
        };
    }

    private static Node text(String text, String words) {
        return new Node.Text(text, said(words));
    }

    private static SourcePosition said(String words) {
        return Source.commandLine(words).position(0, words.length());
    }
}
