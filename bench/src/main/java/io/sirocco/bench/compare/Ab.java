// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * The generator ab(1) of Apache: {@value Work#AB_REQUESTS} requests however long they take. It runs
 * on the core of this process. It tells neither its own share of the CPU, which is 0 here, nor
 * statuses other than 2xx, which are 0 as well, nor how a request failed.
 *
 * @param raw where each output is kept, at the end
 */
record Ab(Path raw) implements Generator {
    static final String MISSING = "ab is not installed (package apache2-utils)";

    private static final Duration LIMIT = Duration.ofMinutes(1);

    @Override
    public Result run(Work work, InetSocketAddress server, Duration time)
            throws IOException, InterruptedException {
        Path percentiles = Files.createTempFile("sirocco-compare", ".csv");
        try {
            var answer = Subprocess.ask(command(work, server, percentiles), raw, LIMIT);
            String errors = LogTail.lastLine(raw);
            Files.writeString(
                    raw, answer.output(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (answer.status() != 0) {
                throw new IOException("ab failed: " + errors);
            }
            return parse(answer.output(), Files.readString(percentiles));
        } finally {
            Files.deleteIfExists(percentiles);
        }
    }

    private static ProcessBuilder command(Work work, InetSocketAddress server, Path percentiles) {
        return new ProcessBuilder(
                "ab",
                "-q",
                "-n",
                "" + Work.AB_REQUESTS,
                "-c",
                "" + work.shape().connections(),
                "-e",
                percentiles.toString(),
                "http://" + Work.host(server) + work.exchanges().getFirst().path());
    }

    /**
     * What it printed.
     *
     * @param csv its table of percentiles: the latency at 0 to 100 percent, in milliseconds
     */
    static Result parse(String printed, String csv) throws IOException {
        long complete = (long) number(printed, "Complete requests");
        long failed = (long) number(printed, "Failed requests");
        double rate = number(printed, "Requests per second");
        long others =
                printed.contains("Non-2xx responses")
                        ? (long) number(printed, "Non-2xx responses")
                        : 0;
        return new Result(
                Duration.ofNanos((long) (complete / rate * 1e9)),
                complete,
                (long) number(printed, "Total transferred"),
                0,
                latency(complete, csv),
                others == 0 ? Map.of(200, complete) : Map.of(200, complete - others, 0, others),
                failed == 0 ? Map.of() : Map.of(Failure.CLOSED, failed),
                List.of(),
                0);
    }

    private static double number(String printed, String name) throws IOException {
        var found = Pattern.compile("(?m)^" + name + ": +([0-9.]+)").matcher(printed);
        if (!found.find()) {
            throw new IOException("ab does not tell '" + name + "'");
        }
        return Double.parseDouble(found.group(1));
    }

    /** Between two percentiles each request counts as the slower one. */
    private static Histogram latency(long complete, String csv) {
        double[] millis =
                csv.lines()
                        .skip(1)
                        .mapToDouble(line -> Double.parseDouble(line.split(",")[1]))
                        .toArray();
        var latency = new Histogram(3);
        for (long k = 0; k < complete; k++) {
            int row = (int) Math.min(millis.length - 1, k * 100 / complete + 1);
            latency.recordValue((long) (millis[row] * 1e6));
        }
        return latency;
    }
}
