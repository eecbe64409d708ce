// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Percent;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;

/** A list of files for people: one page without a script, on a phone as well. Any thread. */
final class ListingPage {
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneOffset.UTC);

    private static final String STYLE =
            """

            :root { color-scheme: light dark; --line: #8884; --quiet: #777; --link: #0b5cad; }
            @media (prefers-color-scheme: dark) { :root { --quiet: #999; --link: #7ab8ff; } }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
            h1 { font-size: 1.2rem; font-weight: 600; overflow-wrap: anywhere; }
            a { color: var(--link); text-decoration: none; }
            a:hover, a:focus { text-decoration: underline; }
            table { width: 100%; border-collapse: collapse; }
            th, td { padding: .4rem .5rem; text-align: left; border-bottom: 1px solid var(--line); }
            th { font-weight: 600; white-space: nowrap; }
            td:first-child { overflow-wrap: anywhere; width: 99%; }
            td + td { white-space: nowrap; color: var(--quiet); font-variant-numeric: tabular-nums; }
            th:nth-child(2), td:nth-child(2) { text-align: right; }
            @media (max-width: 34rem) { th:nth-child(3), td:nth-child(3) { display: none; } }
            """;

    /** {@code Content-Security-Policy}: nothing but this style, whatever a name contains. */
    static final String POLICY = "default-src 'none'; style-src 'sha256-" + hash(STYLE) + "'";

    private ListingPage() {}

    static String of(String path, Listing.Items items, Listing.Order order, boolean backwards) {
        var page = new StringBuilder(2048 + 160 * items.all().size());
        page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.append("<title>").append(escape("Index of /" + path)).append("</title>\n");
        page.append("<style>").append(STYLE).append("</style>\n</head>\n<body>\n");
        crumbs(path, page);
        page.append("<table>\n<thead><tr>");
        column("Name", Listing.Order.NAME, order, backwards, page);
        column("Size", Listing.Order.SIZE, order, backwards, page);
        column("Modified (UTC)", Listing.Order.MODIFIED, order, backwards, page);
        page.append("</tr></thead>\n<tbody>\n");
        if (!path.isEmpty()) {
            page.append("<tr><td><a href=\"../\">..</a></td><td></td><td></td></tr>\n");
        }
        items.all().forEach(item -> row(item, page));
        page.append("</tbody>\n</table>\n");
        if (items.all().isEmpty()) {
            page.append("<p>This directory is empty.</p>\n");
        }
        if (items.more()) {
            page.append(
                    "<p>There are more files than the %,d that are shown.</p>\n"
                            .formatted(Listing.MAX));
        }
        return page.append("</body>\n</html>\n").toString();
    }

    /** The way from the root of the files to here; relative, for they may be mounted anywhere. */
    private static void crumbs(String path, StringBuilder page) {
        String[] names = path.isEmpty() ? new String[0] : path.split("/");
        page.append("<h1>");
        crumb("root", names.length, page);
        for (int i = 0; i < names.length; i++) {
            page.append(" / ");
            crumb(names[i], names.length - 1 - i, page);
        }
        page.append("</h1>\n");
    }

    private static void crumb(String name, int up, StringBuilder page) {
        if (up == 0) {
            page.append(escape(name));
        } else {
            page.append("<a href=\"").append("../".repeat(up)).append("\">");
            page.append(escape(name)).append("</a>");
        }
    }

    private static void column(
            String title,
            Listing.Order column,
            Listing.Order order,
            boolean backwards,
            StringBuilder page) {
        boolean here = column == order;
        String arrow = !here ? "" : backwards ? " ↓" : " ↑";
        String sorted =
                !here ? "" : backwards ? " aria-sort=\"descending\"" : " aria-sort=\"ascending\"";
        page.append("<th scope=\"col\"").append(sorted).append("><a href=\"?sort=");
        page.append(here && !backwards ? "-" : "").append(column.word).append("\">");
        page.append(title).append("</a>").append(arrow).append("</th>");
    }

    private static void row(Listing.Item item, StringBuilder page) {
        String slash = item.directory() ? "/" : "";
        Instant modified = Instant.ofEpochSecond(item.modified());
        page.append("<tr><td><a href=\"").append(Percent.encode(item.name())).append(slash);
        page.append("\">").append(escape(item.name())).append(slash).append("</a></td><td>");
        page.append(item.directory() ? "" : size(item.size())).append("</td><td><time datetime=\"");
        page.append(modified).append("\">").append(MINUTE.format(modified));
        page.append("</time></td></tr>\n");
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JVM has it", e);
        }
    }

    /** Three digits and a unit: 1023 B, 1.50 KiB, 640 MiB. */
    static String size(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
        double value = bytes / (double) (1L << 10 * unit);
        int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return String.format(
                Locale.ROOT, "%." + decimals + "f %ciB", value, "KMGTPE".charAt(unit - 1));
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
