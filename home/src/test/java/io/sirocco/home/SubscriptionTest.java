// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sirocco.home.lua.ReportClient;
import io.sirocco.home.lua.ReportForm;
import io.sirocco.home.protocol.DatagramWriter;
import io.sirocco.home.protocol.Response;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that a client receives each second, over real sockets and a clock moved by hand. */
class SubscriptionTest {
    private static final Inet4Address OTHER = Inet4Address.ofLiteral("127.72.0.9");
    private static final String MAIN =
            """
            TIM1 = OBJECT:new(6, "TIM1")
            MQT1 = OBJECT:new(999, "MQT1")
            MQT1:set(0, "home/lamp")
            """
                    + CluRig.MAIN;

    @TempDir Path directory;
    private final ManualClock clock = new ManualClock();
    private CluRig rig;
    private CluClient client;
    private DatagramSocket receiver;

    private void open(ReportForm form) throws Exception {
        rig =
                new CluRig(
                        directory,
                        MAIN,
                        settings ->
                                settings.reports(form).scripts(scripts -> scripts.clock(clock)));
        client = rig.client();
        receiver = new DatagramSocket(0, CluRig.LOOPBACK);
    }

    @AfterEach
    void close() {
        receiver.close();
        client.close();
        rig.close();
    }

    private String execute(String script) throws Exception {
        return client.execute(script).get(30, TimeUnit.SECONDS);
    }

    private String register(Inet4Address host, int id, String features) throws Exception {
        return execute(
                "SYSTEM:clientRegister(\"%s\",%d,%d,%s)"
                        .formatted(host.getHostAddress(), receiver.getLocalPort(), id, features));
    }

    /** Moves the clock by a second; what is due then has been sent when this returns. */
    private void second() throws Exception {
        clock.advance(1_000);
        execute("1");
        execute("1"); // behind what became due
        execute("1"); // behind the reports, each of which is a task
    }

    /** Returns the next report that has been sent to a socket; null if none has. */
    private Response.Lua report(DatagramSocket socket) throws IOException {
        byte[] end = "end".getBytes(UTF_8);
        rig.socket.send(new DatagramPacket(end, end.length, socket.getLocalSocketAddress()));
        byte[] first = receive(socket);
        if (Arrays.equals(end, first)) {
            return null;
        }
        var report = (Response.Lua) CluRig.open(rig.project, first);
        for (byte[] next = receive(socket); !Arrays.equals(end, next); next = receive(socket)) {
            assertNull(CluRig.open(rig.project, next), "a second report");
        }
        return report;
    }

    private static byte[] receive(DatagramSocket socket) throws IOException {
        var packet = new DatagramPacket(new byte[4_096], 4_096);
        socket.setSoTimeout(30_000);
        socket.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    private String value() throws IOException {
        return report(receiver).value();
    }

    @Test
    void theValueAtOnceThenEachSecondUntilTheClientEnds() throws Exception {
        open(ReportForm.PLAIN);
        assertEquals(
                "clientReport:7:{1000, home/lamp}",
                register(CluRig.LOOPBACK, 7, "{{TIM1,0},{MQT1,0}}"));
        assertNull(report(receiver), "before a second has passed");
        var sessions = new int[3];
        for (int i = 0; i < sessions.length; i++) {
            second();
            Response.Lua report = report(receiver);
            assertEquals("clientReport:7:{1000, home/lamp}", report.value());
            assertEquals(CluRig.LOOPBACK, report.clu());
            sessions[i] = report.session();
        }
        assertNotEquals(1, Arrays.stream(sessions).distinct().count(), "random sessions");
        execute("TIM1:set(0, 2500)");
        second();
        assertEquals("clientReport:7:{2500, home/lamp}", value());
        assertEquals("7", destroy(7));
        second();
        second();
        assertNull(report(receiver));
    }

    private String destroy(int id) throws Exception {
        return execute(
                "SYSTEM:clientDestroy(\"127.0.0.1\",%d,%d)".formatted(receiver.getLocalPort(), id));
    }

    @Test
    void theFormOfTheVendorHasTheAddressOfTheControllerAndSessionZero() throws Exception {
        open(ReportForm.QUOTED);
        assertEquals(
                "clientReport:7:{1000,\"home/lamp\"}",
                register(CluRig.LOOPBACK, 7, "{{TIM1,0},{MQT1,0}}"));
        second();
        assertEquals(
                new Response.Lua(CluRig.LOOPBACK, 0, "clientReport:7:{1000,\"home/lamp\"}"),
                report(receiver));
    }

    /** Behind an address translation a client does not know its own address. */
    @Test
    void aCopyGoesToTheSourceOfTheRequest() throws Exception {
        open(ReportForm.PLAIN);
        try (var named = new DatagramSocket(receiver.getLocalPort(), OTHER)) {
            register(OTHER, 7, "{{TIM1,0}}");
            second();
            assertEquals("clientReport:7:{1000}", value());
            Response.Lua report = report(named);
            assertEquals("clientReport:7:{1000}", report.value());
            assertEquals(OTHER, report.clu());
        }
    }

    @Test
    void aClientThatRegistersAgainReplacesItsRegistration() throws Exception {
        open(ReportForm.PLAIN);
        register(CluRig.LOOPBACK, 7, "{{TIM1,0}}");
        register(CluRig.LOOPBACK, 7, "{{TIM1,1}}");
        second();
        assertEquals("clientReport:7:{0}", value());
        assertEquals("7", destroy(7));
        second();
        assertNull(report(receiver));
    }

    @Test
    void aResetEndsIt() throws Exception {
        open(ReportForm.PLAIN);
        register(CluRig.LOOPBACK, 7, "{{TIM1,0}}");
        client.reset().get(30, TimeUnit.SECONDS);
        second();
        assertNull(report(receiver));
    }

    @Test
    void theClientsAreListed() throws Exception {
        open(ReportForm.PLAIN);
        register(CluRig.LOOPBACK, 7, "{{TIM1,0},{MQT1,0}}");
        register(OTHER, 8, "{{TIM1,0}}");
        register(CluRig.LOOPBACK, 7, "{{TIM1,0}}");
        int port = receiver.getLocalPort();
        assertEquals(
                List.of(
                        new ReportClient(OTHER.getHostAddress(), port, "8", 1),
                        new ReportClient("127.0.0.1", port, "7", 1)),
                rig.clu.clients());
        destroy(7);
        assertEquals(1, rig.clu.clients().size());
        client.reset().get(30, TimeUnit.SECONDS);
        assertEquals(List.of(), rig.clu.clients());
    }

    /**
     * The direct integration of Home Assistant: it leaves its address empty, has one socket for
     * everything, and knows a report by the session 00000000.
     */
    @Test
    void reportsGoToTheSocketOfAClientThatNamesNoAddress() throws Exception {
        open(ReportForm.PLAIN);
        assertEquals("resp:127.0.0.1:a1b2c3d4:0d123456", exchange("req::a1b2c3d4:checkAlive()"));
        assertEquals(
                "resp:127.0.0.1:00c0ffee:clientReport:4711:{1000, nil}",
                exchange("req::00c0ffee:SYSTEM:clientRegister(0,4711,1,{{TIM1,0},\"Missing\"})"));
        assertEquals("127.0.0.1", rig.clu.clients().getFirst().host());
        assertEquals(receiver.getLocalPort(), rig.clu.clients().getFirst().port());
        assertEquals("resp:127.0.0.1:00000001:nil", exchange("req::1:TIM1:set(0,\"2500\")"));
        second();
        assertEquals(
                new Response.Lua(CluRig.LOOPBACK, 0, "clientReport:4711:{2500, nil}"),
                report(receiver));
        assertEquals(
                "resp:127.0.0.1:00000002:4711", exchange("req::2:SYSTEM:clientDestroy(0,4711,1)"));
        second();
        assertNull(report(receiver));
        assertEquals(
                "nil",
                rig.clu.evaluate("SYSTEM:clientRegister(0,1,1,{})").get(30, TimeUnit.SECONDS));
    }

    /** Sends a request from the receiver's socket; returns the text of the response. */
    private String exchange(String request) throws IOException {
        byte[] sealed = CluRig.seal(rig.project, request.getBytes(UTF_8));
        receiver.send(new DatagramPacket(sealed, sealed.length, rig.clu.address()));
        var writer = new DatagramWriter();
        int length = writer.write(CluRig.open(rig.project, receive(receiver)));
        return new String(writer.bytes(), 0, length, UTF_8);
    }
}
