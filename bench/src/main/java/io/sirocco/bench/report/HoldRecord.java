// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.hold.Counts;
import io.sirocco.bench.hold.HoldResult;
import io.sirocco.bench.hold.HoldSecond;
import io.sirocco.bench.hold.Latency;
import io.sirocco.bench.hold.ProcessUse;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The folder of {@code bench hold --record}. A line of {@code hold.csv} is written for each second
 * while the run lasts, so a run that is killed leaves what there was; summary, charts and page
 * follow at the end. Used by one thread.
 */
public final class HoldRecord implements AutoCloseable {
    static final String COLUMNS =
            "second,phase,alive,responses_per_s,p50_ms,p99_ms,max_ms,reset,closed,timed_out,"
                    + "malformed,unopened,wrong,server_heap,server_rss,server_cpu,"
                    + "server_descriptors,slab,tcp,kernel_server,kernel_generator,generator_heap,"
                    + "generator_rss,generator_cpu";

    private final Path folder;
    private final Writer csv;
    private final Consumer<String> warn;
    private boolean failed;

    HoldRecord(Path folder, Writer csv, Consumer<String> warn) throws IOException {
        this.folder = folder;
        this.csv = csv;
        this.warn = warn;
        line(COLUMNS);
    }

    /**
     * Makes the folder, and begins {@code hold.csv}.
     *
     * @param warn receives one line when nothing more can be written; the run goes on
     * @throws IOException with words for the user, when that cannot be or there is such a file
     */
    public static HoldRecord open(Path folder, Consumer<String> warn) throws IOException {
        Path file = folder.resolve("hold.csv");
        try {
            Files.createDirectories(folder);
            Writer csv = Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW);
            try {
                return new HoldRecord(folder, csv, warn);
            } catch (IOException e) {
                csv.close();
                throw e;
            }
        } catch (FileAlreadyExistsException e) {
            throw new IOException(
                    e.getFile().equals(file.toString())
                            ? folder + " has the record of a run already"
                            : folder + " is not a folder",
                    e);
        } catch (IOException e) {
            throw new IOException("cannot write to " + file + ": " + reason(e), e);
        }
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException || e.getMessage() == null
                ? e.toString()
                : e.getMessage();
    }

    /** Writes the line of a second. */
    public void add(HoldSecond second) {
        if (!failed) {
            attempt("hold.csv", () -> line(row(second)));
        }
    }

    /**
     * Writes the summary, the charts and the page.
     *
     * @param title what was asked for, such as the URL
     * @param command the command line that does it again
     */
    public void finish(String title, String command, HoldResult result) {
        attempt(
                "summary",
                () -> {
                    write("summary.txt", HoldTable.of(result));
                    write("summary.json", HoldJson.write(result));
                    for (Map.Entry<String, Markup> chart : HoldCharts.of(result, true).entrySet()) {
                        write(chart.getKey() + ".svg", chart.getValue() + "\n");
                    }
                    write("index.html", HoldPage.of(title, command, result));
                });
    }

    @Override
    public void close() {
        attempt("hold.csv", csv::close);
    }

    private interface Writing {
        void write() throws IOException;
    }

    /** Warns about the first one that fails only. */
    private void attempt(String what, Writing writing) {
        try {
            writing.write();
        } catch (IOException e) {
            if (!failed) {
                warn.accept("cannot record " + what + " in " + folder + ": " + reason(e));
            }
            failed = true;
        }
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private void line(String text) throws IOException {
        csv.write(text);
        csv.write('\n');
        csv.flush();
    }

    private static String row(HoldSecond second) {
        var row = new StringJoiner(",");
        row.add(form("%.1f", second.atMillis() / 1e3));
        row.add(second.phase().name().toLowerCase(Locale.ROOT));
        row.add(Integer.toString(second.alive()));
        row.add(form("%.1f", second.rate()));
        Latency latency = second.latency();
        for (double micros : new double[] {latency.p50(), latency.p99(), latency.max()}) {
            row.add(latency.answers() == 0 ? "" : form("%.3f", micros / 1e3));
        }
        Counts counts = second.counts();
        for (long count :
                new long[] {
                    counts.resets(),
                    counts.closed(),
                    counts.timeouts(),
                    counts.malformed(),
                    counts.unopened(),
                    counts.wrong()
                }) {
            row.add(Long.toString(count));
        }
        row.add(of(second.server(), use -> number(use.heap())));
        row.add(of(second.server(), use -> Long.toString(use.rss())));
        row.add(of(second.server(), use -> form("%.3f", use.cpu())));
        row.add(of(second.server(), use -> number(use.descriptors())));
        row.add(of(second.kernel(), kernel -> Long.toString(kernel.slab())));
        row.add(of(second.kernel(), kernel -> Long.toString(kernel.tcp())));
        row.add(of(second.shares(), shares -> Long.toString(shares.server())));
        row.add(of(second.shares(), shares -> Long.toString(shares.generator())));
        ProcessUse own = second.generator();
        row.add(number(own.heap())).add(Long.toString(own.rss())).add(form("%.3f", own.cpu()));
        return row.toString();
    }

    private static String form(String form, double value) {
        return String.format(Locale.ROOT, form, value);
    }

    private static <T> String of(Optional<T> figures, Function<T, String> figure) {
        return figures.map(figure).orElse("");
    }

    private static String number(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : "";
    }

    private static String number(OptionalInt value) {
        return value.isPresent() ? Integer.toString(value.getAsInt()) : "";
    }
}
