// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static io.sirocco.bench.report.SmallRace.standing;
import static io.sirocco.bench.report.SmallRace.work;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.bench.report.Race.Round;
import io.sirocco.bench.report.Race.Standing;
import io.sirocco.bench.report.Race.Work;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
    private static String outcome(String target, Work... works) {
        var race = SmallRace.of(SmallRace.peers("floor", "sirocco"), works);
        return Targets.all().stream()
                .filter(t -> t.text().equals(target))
                .map(t -> t.outcome(race))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void metMissedAndCloseToTheLimit() {
        var floor = standing("floor", 10, 10, 10);
        String target = "plaintext: CPU, ours / floor";
        assertEquals(
                "met",
                outcome(target, work("plaintext", floor, standing("sirocco", 10, 10.2, 10.4))));
        assertEquals(
                "met, within the spread",
                outcome(target, work("plaintext", floor, standing("sirocco", 10, 10.2, 10.7))));
        assertEquals(
                "missed",
                outcome(target, work("plaintext", floor, standing("sirocco", 10.6, 10.7, 10.8))));
        assertEquals(
                "missed, within the spread",
                outcome(target, work("plaintext", floor, standing("sirocco", 10.4, 10.7, 10.8))));
        assertEquals("not measured", outcome(target, work("plaintext", floor)));
        assertEquals("not measured", outcome(target));
    }

    @Test
    void theBetterNettyCounts() {
        var ours = standing("sirocco", 10, 10, 10);
        var one = standing("netty", 20, 20, 20);
        var other = standing("netty-uring", 12, 12, 12);
        String target = "plaintext: CPU, best Netty / ours";
        assertEquals("met", outcome(target, work("plaintext", ours, one)));
        assertEquals("missed", outcome(target, work("plaintext", ours, one, other)));
    }

    @Test
    void virtualIsMeasuredByOursInline() {
        assertEquals(
                "met",
                outcome(
                        "virtual: CPU, ours / ours in plaintext",
                        work("plaintext", standing("sirocco", 10, 20, 10)),
                        work("virtual", standing("sirocco", 11, 22, 11))));
    }

    @Test
    void oneFailureMissesWhereNoneMayBe() {
        var round = SmallRace.round(10, 1000, 1);
        assertEquals(
                "missed: 1 failed",
                outcome(
                        "churn: CPU, ours / floor, and no failure",
                        work(
                                "churn",
                                standing("floor", 20),
                                new Standing("sirocco", "", List.of(round)))));
    }

    @Test
    void ratesOfTheGeneratorAreNoMiss() {
        var r = SmallRace.round(10, 1000, 0);
        var bound = new Round(10, 1000, 0, 1, 1, 1, 1, 1, 0, 0.95, List.of(), List.of());
        var nginx = new Standing("nginx", "", List.of(r));
        String target = "assets: requests/s, ours / nginx";
        assertEquals(
                "missed",
                outcome(target, work("assets", nginx, new Standing("sirocco", "", List.of(r)))));
        assertEquals(
                "not told: bound by the generator",
                outcome(
                        target,
                        work("assets", nginx, new Standing("sirocco", "", List.of(bound)))));
    }

    @Test
    void theProxyIsComparedWithTheBestOfTheOthers() {
        var ours = standing("sirocco", 8, 8, 8);
        var slow = standing("caddy", 40, 40, 40);
        var fast = standing("nginx", 9, 9, 9);
        String cpu = "proxy-small: CPU, best proxy / ours";
        assertEquals("met", outcome(cpu, work("proxy-small", ours, slow)));
        assertEquals("missed", outcome(cpu, work("proxy-small", ours, slow, fast)));
    }

    @Test
    void theProxyIsToBeNoSlowerThanTheFastestOfTheOthers() {
        var ours = new Standing("sirocco", "", List.of(SmallRace.round(8, 1000, 0)));
        var slow = new Standing("caddy", "", List.of(SmallRace.round(40, 200, 0)));
        var fast = new Standing("haproxy", "", List.of(SmallRace.round(20, 1100, 0)));
        String rate = "proxy-small: requests/s, ours / best proxy";
        assertEquals("met", outcome(rate, work("proxy-small", ours, slow)));
        assertEquals("missed", outcome(rate, work("proxy-small", ours, slow, fast)));
    }

    @Test
    void filesOnDiskAreComparedWithTheFloorThatSendsThemFromDisk() {
        var fromMemory = standing("floor", 1, 1, 1);
        var fromDisk = standing("floor-sendfile", 20, 20, 20);
        var work = work("files", fromMemory, fromDisk, standing("sirocco", 22, 22, 22));
        assertEquals("met", outcome("files: CPU, ours / floor-sendfile", work));
    }
}
