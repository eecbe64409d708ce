// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // loops wait
class ReportsTest {
    private static final InetAddress HOST = InetAddress.ofLiteral("10.72.144.72");
    private static final InetAddress SOURCE = InetAddress.ofLiteral("10.72.144.99");
    private static final String ENTRIES = "{{A,0},{A,1},{A,2},{A,3},{A,4},{A,9},\"zz\",{nosuch,1}}";

    @TempDir Path root;
    private final ManualClock clock = new ManualClock();
    private ScriptRig rig;

    @AfterEach
    void close() {
        rig.close();
    }

    private void start(ReportForm form) {
        rig = new ScriptRig(root, settings -> settings.clock(clock).reports(form));
        rig.script(
                "USER.LUA",
                """
                zz = 5
                A = OBJECT:new(7777, 'A')
                A:set(0, 1)
                A:set(1, '19:26:35')
                A:set(2, 'h"i')
                A:set(3, 24.137)
                A:set(4, true)
                """);
        rig.start();
    }

    private String register(String arguments, InetAddress source) {
        CompletableFuture<String> value = new CompletableFuture<>();
        rig.runtime.call(
                "SYSTEM:clientRegister(" + arguments + ")",
                new InetSocketAddress(source, 40_000),
                value::complete);
        return ScriptRig.await(value);
    }

    /** Returns the reports of the next second. */
    private List<ReportSink.Report> next(int count) {
        rig.reports.clear();
        clock.advance(1_000);
        while (rig.reports.size() < count) {
            LockSupport.parkNanos(200_000);
        }
        rig.value("1");
        rig.value("1");
        return List.copyOf(rig.reports);
    }

    @Test
    void fetchValuesInBothForms() {
        start(ReportForm.PLAIN);
        assertEquals(
                "values:{1, 19:26:35, h\"i, 24.137, true, nil, 5, nil}",
                rig.value("SYSTEM:fetchValues(" + ENTRIES + ")"));
        assertEquals("values:{5}", rig.value("SYSTEM:fetchValues({\"zz\"})"));
        assertEquals("values:{}", rig.value("SYSTEM:fetchValues({})"));
        rig.close();
        start(ReportForm.QUOTED);
        assertEquals(
                "values:{1,\"19:26:35\",\"h\\\"i\",24.14,true,nil,5,nil}",
                rig.value("SYSTEM:fetchValues(" + ENTRIES + ")"));
    }

    @Test
    void aClientReceivesAReportEachSecondUntilItEnds() {
        start(ReportForm.PLAIN);
        assertEquals(
                "clientReport:49064:{1, 5}",
                register("\"10.72.144.72\",4344,49064,{{A,0},\"zz\"}", HOST));
        ReportSink.Report report =
                new ReportSink.Report(
                        Optional.of(HOST),
                        new InetSocketAddress(HOST, 4344),
                        "clientReport:49064:{1, 5}");
        for (int i = 0; i < 5; i++) {
            assertEquals(List.of(report), next(1));
        }
        rig.value("A:set(0, 2)");
        assertEquals("clientReport:49064:{2, 5}", next(1).getFirst().value());
        assertEquals("49064", rig.value("SYSTEM:clientDestroy(\"10.72.144.72\",4344,49064)"));
        assertEquals(List.of(), next(0));
    }

    @Test
    void aCopyGoesToTheSourceAndARenewalReplaces() {
        start(ReportForm.PLAIN);
        register("\"10.72.144.72\",4344,1,{{A,0}}", SOURCE);
        register("\"10.72.144.72\",4344,1,{{A,1}}", SOURCE);
        assertEquals(
                List.of(HOST, SOURCE),
                next(2).stream().map(each -> each.to().getAddress()).toList());
        assertEquals("clientReport:1:{19:26:35}", rig.reports.getFirst().value());
    }

    @Test
    void theOldestOf65ClientsEnds() {
        start(ReportForm.PLAIN);
        for (int id = 0; id < 64; id++) {
            register("\"10.72.144.72\",4344," + id + ",{\"zz\"}", HOST);
        }
        register("\"10.72.144.72\",4344,0,{\"zz\"}", HOST); // renews
        register("\"10.72.144.72\",4344,64,{\"zz\"}", HOST);
        List<String> ids =
                next(64).stream().map(report -> report.value().split(":")[1]).sorted().toList();
        assertEquals(
                Stream.iterate(0, id -> id + 1)
                        .limit(65)
                        .filter(id -> id != 1)
                        .map(String::valueOf)
                        .sorted()
                        .toList(),
                ids);
        assertTrue(rig.logged().contains("receives no more reports"), rig.logged());
    }

    /** Of the host that has the most, a registration ends; both then have the same number. */
    @Test
    void aHostWithManyRegistrationsKeepsNoOtherOut() {
        start(ReportForm.PLAIN);
        for (int id = 0; id < 70; id++) {
            register("\"10.72.144.72\",4344," + id + ",{\"zz\"}", HOST);
        }
        for (int id = 100; id < 120; id++) {
            register("\"10.72.144.99\",4344," + id + ",{\"zz\"}", SOURCE);
        }
        for (int id = 200; id < 300; id++) {
            register("\"10.72.144.72\",4344," + id + ",{\"zz\"}", HOST);
        }
        List<ReportClient> clients = rig.runtime.clients();
        assertEquals(64, clients.size());
        assertEquals(
                20, clients.stream().filter(each -> each.host().equals("10.72.144.99")).count());
        for (int id = 400; id < 500; id++) {
            register("\"10.72.144.99\",4344," + id + ",{\"zz\"}", SOURCE);
        }
        assertEquals(
                32,
                rig.runtime.clients().stream()
                        .filter(each -> each.host().equals("10.72.144.99"))
                        .count());
    }

    @Test
    void aClientWhoseValuesExceedALimitEndsAlone() {
        rig = new ScriptRig(root, settings -> settings.clock(clock).instructions(300_000));
        rig.script("USER.LUA", "function slow() while bad do end return 1 end").start();
        register("\"10.72.144.72\",4344,1,{\"slow()\"}", HOST);
        register("\"10.72.144.72\",4344,2,{\"2\"}", HOST);
        assertEquals(2, next(2).size());
        rig.value("setVar('bad', true)");
        assertEquals("clientReport:2:{2}", next(1).getFirst().value());
        assertEquals(1, rig.runtime.clients().size());
        assertTrue(rig.logged().contains("its values exceed a limit"), rig.logged());
        assertEquals("clientReport:2:{2}", next(1).getFirst().value());
    }

    @Test
    void aResetDuringAReportIsNoExceededLimit() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "function slow() if bad then log('slow') end while bad do end end")
                .start();
        register("\"10.72.144.72\",4344,1,{\"slow()\"}", HOST);
        rig.value("setVar('bad', true)");
        clock.advance(1_000);
        while (!rig.logged().contains("slow")) {
            LockSupport.parkNanos(200_000);
        }
        ScriptRig.await(rig.runtime.reset());
        assertFalse(rig.logged().contains("exceed"), rig.logged());
        assertEquals(List.of(), rig.runtime.clients());
    }

    @Test
    void wrongArgumentsAreRefused() {
        start(ReportForm.PLAIN);
        for (String wrong :
                List.of(
                        "\"host.example\",4344,1,{}",
                        "\"10.72.144.999\",4344,1,{}",
                        "\"::1\",4344,1,{}",
                        "\"255.255.255.255\",4344,1,{}",
                        "\"224.0.0.1\",4344,1,{}",
                        "\"0.0.0.0\",4344,1,{}",
                        "\"10.72.144.72\",0,1,{}",
                        "\"10.72.144.72\",65536,1,{}",
                        "\"10.72.144.72\",4344,1",
                        "\"10.72.144.72\",4344,1,5",
                        "")) {
            assertEquals("nil", register(wrong, HOST), wrong);
        }
        assertEquals(List.of(), next(0));
    }
}
