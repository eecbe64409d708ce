// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static io.sirocco.bench.report.SmallRace.standing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.report.Race.Peer;
import io.sirocco.bench.report.Race.Round;
import io.sirocco.bench.report.Race.Standing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class RacePageTest {
    @Test
    void isWellFormedNamesEveryPeerAndLoadsNothing() throws Exception {
        var race = SampleRace.full();
        var page = Xml.parse(RacePage.of(race));
        String text = page.getDocumentElement().getTextContent();
        race.peers().forEach(p -> assertTrue(text.contains(p.name()), p.name()));
        race.peers().forEach(p -> assertTrue(text.contains(p.version()), p.version()));
        race.works().forEach(w -> assertTrue(text.contains(w.title()), w.title()));
        assertTrue(text.contains(race.command()));
        assertTrue(text.contains(race.machine().cpu()));
        assertEquals(List.of(), Xml.loads(page));
        assertEquals(3 * race.works().size(), Xml.elements(page, "svg").size());
    }

    @Test
    void linksLeadToTheSections() throws Exception {
        var page = Xml.parse(RacePage.of(SampleRace.race(5, 5, 9)));
        var ids = Xml.elements(page, "section").stream().map(s -> s.getAttribute("id")).toList();
        var links = Xml.elements(page, "a").stream().map(a -> a.getAttribute("href")).toList();
        assertEquals(ids.stream().map(id -> "#" + id).toList(), links);
        assertEquals(ids.size(), ids.stream().distinct().count());
    }

    @Test
    void textOfPeersIsText() throws Exception {
        String evil = "<script>alert('&\"')</script>\u0000\ud800";
        var peers =
                List.of(new Peer(evil, evil, evil, evil, ""), new Peer("b", evil, "", "", evil));
        var work = SmallRace.work(evil, standing(evil, 1, 2, 3), SmallRace.absent("b", evil));
        String page = RacePage.of(SmallRace.of(peers, work));
        assertFalse(page.contains("<script"));
        assertEquals(List.of(), Xml.loads(Xml.parse(page)));
        assertTrue(page.contains("&lt;script&gt;alert("));
    }

    @Test
    void absentPeersAreListedWithTheReason() throws Exception {
        var race = SampleRace.without(SampleRace.full(), "hyper", "cargo is not installed");
        var page = Xml.parse(RacePage.of(race));
        var reasons = Xml.elements(page, "dd").stream().map(Element::getTextContent).toList();
        assertEquals(List.of("cargo is not installed"), reasons);
        assertTrue(
                page.getDocumentElement()
                        .getTextContent()
                        .contains("Without haproxy, microhttp (it has no way to do this)."));
    }

    @Test
    void oneRoundIsNeverSure() throws Exception {
        var page = Xml.parse(RacePage.of(SampleRace.race(1, 17, 9)));
        assertTrue(
                Xml.elements(page, "span").stream()
                        .noneMatch(e -> e.getAttribute("class").equals("mark sure")));
        assertTrue(
                page.getDocumentElement()
                        .getTextContent()
                        .contains("With fewer than 3 rounds nothing is sure."));
    }

    @Test
    void noWorkNoPeerNotOursNothingMeasured() throws Exception {
        Xml.parse(RacePage.of(SampleRace.race(5, 17, 0)));
        Xml.parse(RacePage.of(SmallRace.of(List.of())));
        Xml.parse(RacePage.of(SampleRace.without(SampleRace.full(), "sirocco", "it broke")));
        Xml.parse(RacePage.of(SampleRace.without(SampleRace.full(), "floor", "no gcc")));
        var bare = new Round(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), List.of());
        var work = SmallRace.work("x", new Standing("sirocco", "", List.of(bare)));
        Xml.parse(RacePage.of(SmallRace.of(SmallRace.peers("sirocco"), work)));
        Xml.parse(RacePage.of(SmallRace.of(SmallRace.peers(), SmallRace.work("x"))));
    }

    /** For people, who see more than the test: that they can be read, and have their plots. */
    @Test
    void samplesAreLeftInTarget() throws Exception {
        var folder = Files.createDirectories(Path.of("target", "samples"));
        Files.writeString(folder.resolve("race.html"), RacePage.of(SampleRace.full()));
        Files.writeString(folder.resolve("one-round.html"), RacePage.of(SampleRace.race(1, 17, 9)));
        Files.writeString(
                folder.resolve("result.html"),
                ResultPage.of(
                        "http://127.0.0.1:8080/hello/you",
                        "./sirocco bench http http://127.0.0.1:8080/hello/you",
                        SampleResult.of(0.95)));
        var document = folder.resolve("performance.md");
        Files.writeString(document, RaceMarkdown.BEGIN + " -->\n" + RaceMarkdown.END + "\n");
        RaceMarkdown.write(SampleRace.full(), document);
        for (String name : List.of("race.html", "one-round.html", "result.html")) {
            var page = Xml.parse(Files.readString(folder.resolve(name)));
            assertEquals(List.of(), Xml.loads(page), name);
        }
        String written = Files.readString(document);
        SampleRace.full().works().forEach(w -> assertTrue(written.contains(w.title()), w.title()));
        for (String plot : RaceMarkdown.plots(SampleRace.full()).keySet()) {
            assertTrue(written.contains("performance/" + plot), plot);
            Xml.parse(Files.readString(folder.resolve("performance").resolve(plot)));
        }
    }
}
