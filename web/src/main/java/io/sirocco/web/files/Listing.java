// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Response;
import io.sirocco.net.OpenFile;
import io.sirocco.net.RootDirectory;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Lists a directory, as a page or as JSON. Shows only what can be requested: no hidden files, and
 * no links that are not followed. Blocks while the disk does. Any thread.
 */
final class Listing {
    /** More are not shown, and the list says so. */
    static final int MAX = 10_000;

    private static final Response NOT_FOUND = Response.text("Not Found").status(404);

    /** One line. Sizes are bytes, times seconds since 1970. Immutable. */
    record Item(String name, boolean directory, long size, long modified) {}

    /** What is shown, and whether that is not all. Immutable. */
    record Items(List<Item> all, boolean more) {}

    /** By what it is sorted; directories come first whatever it is. */
    enum Order {
        NAME(Comparator.comparing(Item::name, String.CASE_INSENSITIVE_ORDER)),
        SIZE(Comparator.comparingLong(Item::size)),
        MODIFIED(Comparator.comparingLong(Item::modified));

        final String word = name().toLowerCase(Locale.ROOT);
        private final Comparator<Item> by;

        Order(Comparator<Item> by) {
            this.by = by;
        }

        Comparator<Item> comparator(boolean backwards) {
            return Comparator.comparing(Item::directory)
                    .reversed()
                    .thenComparing(backwards ? by.reversed() : by)
                    .thenComparing(Item::name);
        }

        /** The one of a query such as {@code ?sort=-size}; {@link #NAME} without one. */
        static Order of(String query) {
            for (Order order : values()) {
                if (query.endsWith("sort=" + order.word) || query.endsWith("sort=-" + order.word)) {
                    return order;
                }
            }
            return NAME;
        }
    }

    private final RootDirectory root;
    private final boolean hidden;

    Listing(RootDirectory root, boolean hidden) {
        this.root = root;
        this.hidden = hidden;
    }

    /** The list of a directory; its path is empty, or ends with a slash. */
    Response of(String path, FileRequest asked) throws IOException {
        Items items;
        try {
            items = read(path);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return NOT_FOUND; // it has gone since we looked
        }
        Order order = Order.of(asked.query());
        boolean backwards = asked.query().contains("sort=-");
        List<Item> sorted = new ArrayList<>(items.all());
        sorted.sort(order.comparator(backwards));
        items = new Items(sorted, items.more());
        Response response =
                Accept.prefersJson(asked.accept())
                        ? Response.json(ListingJson.of(path, items))
                        : Response.html(ListingPage.of(path, items, order, backwards))
                                .header("Content-Security-Policy", ListingPage.POLICY);
        return response.header("Cache-Control", "no-cache").header("Vary", "Accept");
    }

    private Items read(String path) throws IOException {
        OpenFile directory = root.open(path);
        try (var names = Files.newDirectoryStream(directory.path())) {
            var items = new ArrayList<Item>();
            for (Path each : names) {
                if (items.size() == MAX) {
                    return new Items(items, true);
                }
                item(path, each).ifPresent(items::add);
            }
            return new Items(items, false);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } finally {
            directory.release();
        }
    }

    private Optional<Item> item(String path, Path each) {
        String name = each.getFileName().toString();
        if (name.indexOf('/') >= 0 || !FilePath.plain(name, hidden)) {
            return Optional.empty();
        }
        try {
            var facts =
                    Files.readAttributes(
                            each, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (facts.isSymbolicLink()) {
                return behind(path, name);
            }
            long modified = facts.lastModifiedTime().to(TimeUnit.SECONDS);
            return facts.isDirectory() || facts.isRegularFile()
                    ? Optional.of(new Item(name, facts.isDirectory(), facts.size(), modified))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // it has gone, or is not for us
        }
    }

    /** What a link leads to, if we may follow it. */
    private Optional<Item> behind(String path, String name) throws IOException {
        OpenFile file = root.open(path + name);
        file.release();
        Facts facts = Facts.of(file);
        return file.isDirectory() || file.isRegular()
                ? Optional.of(
                        new Item(name, file.isDirectory(), facts.size(), facts.modifiedSecond()))
                : Optional.empty();
    }
}
