// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Files;
import io.sirocco.app.config.Route;
import io.sirocco.app.config.RouteTable;
import io.sirocco.app.config.Rules;
import io.sirocco.app.config.Site;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.web.files.FileRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The access rules of the files of one site, which no detour bypasses: a request that reaches a
 * file by another path ({@code rewrite}, {@code strip}, an index, a fallback, a page for 404) must
 * pass the rules of the routes that serve the file by its own paths. Immutable.
 */
final class TargetRules {
    private final RouteTable routes;
    private final Function<Rules, List<Filter>> filters;
    private final boolean varied;
    private final Set<View> views = new LinkedHashSet<>();

    /** A prefix of paths, and the files below it. */
    private record View(Files files, String prefix) {
        static View of(Route route) {
            return new View(route.files(), TargetRules.prefix(route.files()));
        }

        /** Hashes what usually differs: hashing the whole record takes milliseconds of a start. */
        @Override
        public int hashCode() {
            return prefix.hashCode();
        }
    }

    /** The rules for access; response headers are those of the requested route. */
    private record Access(Object addresses, Object rate, Object password) {
        static Access of(Rules rules) {
            return new Access(
                    List.of(rules.allow(), rules.deny()), rules.rateLimit(), rules.basicAuth());
        }
    }

    /**
     * Creates the rules of {@code site}.
     *
     * @param filters creates the filters of rules: addresses, rate, password
     */
    TargetRules(Site site, Function<Rules, List<Filter>> filters) {
        this.routes = new RouteTable(site);
        this.filters = filters;
        this.varied =
                routes.all().count() > 1
                        && routes.all().map(Route::rules).map(Access::of).distinct().count() > 1;
        routes.all()
                .filter(route -> route.files().root().isPresent())
                .map(View::of)
                .forEach(views::add);
    }

    /** Returns the rules of files that {@code asked} serves, beyond its own. */
    FileRules behind(Route asked) {
        if (!varied) return FileRules.NONE;
        var known = new HashMap<Rules, List<Filter>>();
        routes.all()
                .map(Route::rules)
                .forEach(rules -> known.put(rules, missing(rules, asked.rules())));
        return path -> rules(asked, path, known);
    }

    /**
     * Returns whether a server may read the path of a request as one whose route has access rules
     * that the request has not passed.
     */
    boolean bypassed(Route asked, Request request) {
        if (varied) {
            for (String path : OtherReadings.of(request.path())) {
                if (demandsMore(routes.at(path, request).rules(), asked.rules())) return true;
            }
        }
        return false;
    }

    private static boolean demandsMore(Rules rules, Rules passed) {
        boolean addresses = !rules.allow().isEmpty() || !rules.deny().isEmpty();
        return addresses
                        && !(rules.allow().equals(passed.allow())
                                && rules.deny().equals(passed.deny()))
                || rules.rateLimit().isPresent() && !rules.rateLimit().equals(passed.rateLimit())
                || rules.basicAuth().isPresent() && !rules.basicAuth().equals(passed.basicAuth());
    }

    /** Returns whether files of {@code asked} can have other paths, too. */
    boolean aliased(Route asked) {
        return varied
                && views.stream()
                        .filter(view -> view.files.root().equals(asked.files().root()))
                        .anyMatch(view -> !view.prefix.equals(prefix(asked.files())));
    }

    /** Returns whether a path names a precompressed variant of a file: {@code a.css.br}. */
    static boolean precompressed(Route asked, String path) {
        return asked.files().precompressed().stream().anyMatch(it -> path.endsWith("." + it));
    }

    private Optional<Filter> rules(Route asked, String path, Map<Rules, List<Filter>> known) {
        List<String> addresses = addresses(asked, path);
        Set<Filter> possible = new LinkedHashSet<>();
        addresses.stream()
                .flatMap(routes::all)
                .forEach(route -> possible.addAll(known.get(route.rules())));
        return possible.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        (request, next) -> {
                            Set<Filter> all = new LinkedHashSet<>();
                            for (String address : addresses) {
                                all.addAll(known.get(routes.at(address, request).rules()));
                            }
                            return chain(all, next).handle(request);
                        });
    }

    /** Returns all paths of a file of the route, or of the file that it is a variant of. */
    private List<String> addresses(Route asked, String path) {
        var all = new ArrayList<String>();
        all.add(path);
        for (View view : views) {
            if (view.files.root().equals(asked.files().root()) && !view.prefix.isEmpty()) {
                all.add(view.prefix + path);
            }
        }
        for (String suffix : asked.files().precompressed()) {
            if (path.endsWith("." + suffix)) {
                String plain = path.substring(0, path.length() - suffix.length() - 1);
                if (!plain.endsWith("/")) all.addAll(addresses(asked, plain));
            }
        }
        return all;
    }

    /** Returns the prefix without a trailing slash. */
    private static String prefix(Files files) {
        return files.strip().replaceFirst("/$", "");
    }

    /** The filters of {@code rules} that {@code passed} does not have. */
    private List<Filter> missing(Rules rules, Rules passed) {
        boolean sameAddresses =
                rules.allow().equals(passed.allow()) && rules.deny().equals(passed.deny());
        return filters.apply(
                new Rules(
                        sameAddresses ? List.of() : rules.allow(),
                        sameAddresses ? List.of() : rules.deny(),
                        false,
                        rules.hsts(),
                        false,
                        Map.of(),
                        rules.rateLimit().filter(it -> !passed.rateLimit().equals(Optional.of(it))),
                        rules.basicAuth().filter(it -> !passed.basicAuth().equals(Optional.of(it))),
                        Optional.empty()));
    }

    private static Handler chain(Set<Filter> filters, Handler last) {
        Handler handler = last;
        for (Filter filter : List.copyOf(filters).reversed()) {
            Handler inner = handler;
            handler = passing -> filter.filter(passing, inner);
        }
        return handler;
    }
}
