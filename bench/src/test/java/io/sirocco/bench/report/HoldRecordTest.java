// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.hold.Counts;
import io.sirocco.bench.hold.GeneratorCost;
import io.sirocco.bench.hold.HoldResult;
import io.sirocco.bench.hold.HoldSecond;
import io.sirocco.bench.hold.HoldSecond.Phase;
import io.sirocco.bench.hold.KernelMemory;
import io.sirocco.bench.hold.KernelShares;
import io.sirocco.bench.hold.Latency;
import io.sirocco.bench.hold.ProcessUse;
import io.sirocco.bench.hold.SlabCache;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/** The folder of {@code --record}. */
class HoldRecordTest {
    private static final Counts COUNTS = new Counts(50_000, 5, 1, 2, 3, 4, 6, 7, 90_000);

    @TempDir Path folder;
    private final List<String> warnings = new ArrayList<>();

    private static HoldSecond second(int at, Phase phase, boolean server) {
        return new HoldSecond(
                at * 1_000L,
                1_000,
                phase,
                50_000,
                Math.min(50_000, at * 5_000),
                phase == Phase.RESTING ? 0 : 900 + at,
                phase == Phase.RESTING
                        ? new Latency(0, 0, 0, 0, 0)
                        : new Latency(900 + at, 120, 1_500 + at, 3_000, 4_250),
                COUNTS,
                server
                        ? Optional.of(
                                new ProcessUse(
                                        OptionalLong.of(7L << 20),
                                        80L << 20,
                                        0.25,
                                        OptionalInt.of(40)))
                        : Optional.empty(),
                new ProcessUse(OptionalLong.of(9L << 20), 90L << 20, 0.5, OptionalInt.of(50)),
                server
                        ? Optional.of(new KernelMemory(1L << 30, 1L << 29, 4_096L * at))
                        : Optional.empty(),
                server ? Optional.of(new KernelShares(1_000 + at, 2_000)) : Optional.empty());
    }

    private static HoldResult result(List<HoldSecond> overTime) {
        return new HoldResult(
                50_000,
                50_000,
                10,
                20,
                false,
                COUNTS,
                Optional.empty(),
                910,
                917.4,
                new Latency(50_000, 100, 900, 2_000, 3_000),
                new Latency(18_000, 120, 1_520, 3_000, 4_250),
                Optional.empty(),
                Optional.of(new KernelMemory(500L << 20, 480L << 20, 1L << 20)),
                Optional.of(new KernelShares(250L << 20, 240L << 20)),
                List.of(new SlabCache("TCP", 100_000, 243_200_000)),
                new GeneratorCost(1, TransportKind.NIO, 5, 8L << 20, 20L << 20, 0.5),
                overTime);
    }

    private static List<HoldSecond> run(int seconds, boolean server) {
        return IntStream.rangeClosed(1, seconds)
                .mapToObj(
                        at ->
                                second(
                                        at,
                                        at <= 10
                                                ? Phase.OPENING
                                                : at <= seconds - 3 ? Phase.HOLDING : Phase.RESTING,
                                        server))
                .toList();
    }

    @Test
    void eachSecondIsALineAsSoonAsItIsOver() throws IOException {
        Path to = folder.resolve("a/b");
        try (HoldRecord record = HoldRecord.open(to, warnings::add)) {
            Path csv = to.resolve("hold.csv");
            assertEquals(List.of(HoldRecord.COLUMNS), Files.readAllLines(csv));
            record.add(second(11, Phase.HOLDING, true));
            assertEquals(
                    "11.0,holding,50000,911.0,0.120,1.511,4.250,1,2,3,4,5,13,7340032,83886080,0.250,40,"
                            + "1073741824,45056,1011,2000,9437184,94371840,0.500",
                    Files.readAllLines(csv).getLast());
            record.add(second(12, Phase.RESTING, false));
            assertEquals(
                    "12.0,resting,50000,0.0,,,,1,2,3,4,5,13,,,,,,,,,9437184,94371840,0.500",
                    Files.readAllLines(csv).getLast());
        }
        for (String line : Files.readAllLines(to.resolve("hold.csv"))) {
            assertEquals(HoldRecord.COLUMNS.split(",").length, line.split(",", -1).length, line);
        }
        assertEquals(List.of(), warnings);
    }

    @Test
    void summaryChartsAndPageFollow() throws Exception {
        try (HoldRecord record = HoldRecord.open(folder, warnings::add)) {
            record.finish("http://a/?<b>", "./sirocco bench hold", result(run(30, true)));
        }
        assertEquals(List.of(), warnings);
        String summary = Files.readString(folder.resolve("summary.txt"));
        assertTrue(summary.contains("1 reset, 2 closed by the server, 3 timed out"), summary);
        assertTrue(summary.contains("server 250.0 MiB: 5,243 B per connection; "), summary);
        assertTrue(summary.contains("TCP: 2.00 objects, 4,864 B per connection"), summary);
        assertTrue(Files.readString(folder.resolve("summary.json")).contains("\"overTime\""));
        for (String name : List.of("connections", "rate", "latency", "memory", "kernel", "cpu")) {
            Document chart = Xml.parse(Files.readString(folder.resolve(name + ".svg")));
            assertTrue(Xml.elements(chart, "path").size() > 3, name);
            assertEquals(List.of(), Xml.loads(chart), name);
        }
        Document page =
                Xml.parse(
                        Files.readString(folder.resolve("index.html"))
                                .replace("<!DOCTYPE html>", ""));
        assertEquals(6, Xml.elements(page, "svg").size());
        assertEquals(List.of(), Xml.loads(page));
        assertTrue(page.getDocumentElement().getTextContent().contains("http://a/?<b>"));
    }

    @Test
    void theChartsSayWhatIsSeenAndWhatIsExpected() throws Exception {
        Map<String, Markup> charts = HoldCharts.of(result(run(30, true)), true);
        String rate =
                Xml.parse(charts.get("rate").toString()).getDocumentElement().getTextContent();
        assertTrue(rate.contains("seen") && rate.contains("expected"), rate);
        String kernel =
                Xml.parse(charts.get("kernel").toString()).getDocumentElement().getTextContent();
        assertTrue(kernel.contains("of server") && kernel.contains("of bench"), kernel);
    }

    /** Of a server on another machine, a run that was interrupted at once, and a long one. */
    @Test
    void chartsOfLittleAndOfMuch() throws Exception {
        for (List<HoldSecond> overTime :
                List.of(List.<HoldSecond>of(), run(1, false), run(20, false), run(7_200, true))) {
            for (Markup chart : HoldCharts.of(result(overTime), true).values()) {
                Document document = Xml.parse(chart.toString());
                assertTrue(chart.toString().length() < 60_000, chart.toString().length() + "");
                assertTrue(!chart.toString().contains("NaN"));
                assertEquals(List.of(), Xml.loads(document));
            }
        }
    }

    @Test
    void aFolderThatHasARecordIsLeftAlone() throws IOException {
        Files.writeString(folder.resolve("hold.csv"), "precious");
        IOException e =
                assertThrows(IOException.class, () -> HoldRecord.open(folder, warnings::add));
        assertTrue(e.getMessage().endsWith("has the record of a run already"), e.getMessage());
        assertEquals("precious", Files.readString(folder.resolve("hold.csv")));
    }

    @Test
    void aFileIsNoFolder() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        IOException e = assertThrows(IOException.class, () -> HoldRecord.open(file, warnings::add));
        assertTrue(e.getMessage().endsWith("is not a folder"), e.getMessage());
        assertThrows(IOException.class, () -> HoldRecord.open(file.resolve("in"), warnings::add));
    }

    /** A disk that has room for so many lines. */
    private static final class SmallDisk extends Writer {
        private int room;

        SmallDisk(int lines) {
            this.room = lines;
        }

        @Override
        public void write(char[] text, int from, int length) {}

        @Override
        public void flush() throws IOException {
            if (room-- <= 0) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    @Test
    void aDiskThatIsFullIsWarnedAboutOnceAndTheRunGoesOn() throws IOException {
        try (var record = new HoldRecord(folder, new SmallDisk(3), warnings::add)) {
            for (int at = 1; at <= 10; at++) {
                record.add(second(at, Phase.OPENING, true));
            }
            record.finish("a", "b", result(run(10, true)));
        }
        assertEquals(
                List.of("cannot record hold.csv in " + folder + ": No space left on device"),
                warnings);
        assertTrue(Files.exists(folder.resolve("summary.txt"))); // there may be room again
    }

    @Test
    void aDiskThatIsFullFromTheBeginningIsAnError() {
        assertThrows(
                IOException.class, () -> new HoldRecord(folder, new SmallDisk(0), warnings::add));
    }
}
