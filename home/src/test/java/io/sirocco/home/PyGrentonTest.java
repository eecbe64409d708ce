// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.home.lua.ReportForm;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.http.peer.Python;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * pygrenton, an independent client, on its fixed ports: it reads the configuration by TFTP, and
 * knows the objects by our interface files.
 */
@Tag("peers")
class PyGrentonTest {
    private static final Inet4Address ADDRESS = Inet4Address.ofLiteral("127.72.0.5");
    private static final Path INTERFACES =
            Path.of("src/main/resources/io/sirocco/home/interfaces").toAbsolutePath();
    private static final int TFTP = 69;

    private static final String MAIN =
            """
            require "user"
            require "om"
            function checkAlive() return "0d123456" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    /** What Object Manager generates; the client reads no further than to EventsFor. */
    private static final String OBJECTS =
            """
            -- NAME_CLU Controller=CLU219296854
            CLU219296854 = OBJECT:new(0, 0x7f480005, "CLU219296854")
            -- NAME_OBJECT Countdown=TIM1
            TIM1 = OBJECT:new(6, "TIM1")
            CAL1 = OBJECT:new(15, "CAL1")
            SCH1 = OBJECT:new(16, "SCH1")
            SUN1 = OBJECT:new(39, "SUN1")
            PRE1 = OBJECT:new(40, "PRE1")
            -- NAME_OBJECT Rules=EVS1
            EVS1 = OBJECT:new(43, "EVS1")
            STO1 = OBJECT:new(44, "STO1")
            MQT1 = OBJECT:new(999, "MQT1")
            """
                    + "-- EventsForTIM1\n".repeat(100);

    @TempDir Path directory;
    private final CipherKey project = CipherKey.random(new SecureRandom());

    @BeforeEach
    void writeFiles() throws Exception {
        assumeTrue(System.getenv("CI") != null || mayBind(), "needs root: TFTP has port 69");
        CluRig.write(directory, MAIN, project);
        Path folder = directory.resolve("root/a");
        Files.writeString(folder.resolve("USER.LUA"), "");
        Files.writeString(folder.resolve("OM.LUA"), OBJECTS);
    }

    private static boolean mayBind() {
        try (var socket = new DatagramSocket(new InetSocketAddress(ADDRESS, TFTP))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsSetsExecutesAndReceivesReports(boolean fortified) throws Exception {
        var client = new Python("pygrenton");
        try (Clu clu =
                Clu.start(
                        settings ->
                                settings.directory(directory)
                                        .address(ADDRESS)
                                        .broadcasts(false)
                                        .reports(ReportForm.QUOTED)
                                        .fortified(fortified)
                                        .fortifiedTftp(true))) {
            assertEquals(CluClient.PORT, clu.address().getPort());
            assertEquals(
                    List.of(
                            "serial 0d123456",
                            "serial 0d123456",
                            "object CLU219296854 Controller 0 19 5",
                            "object TIM1 Countdown 6 4 3",
                            "object CAL1 UNNAMED_OBJECT_CAL1 15 4 3",
                            "object SCH1 UNNAMED_OBJECT_SCH1 16 5 2",
                            "object SUN1 UNNAMED_OBJECT_SUN1 39 16 2",
                            "object PRE1 UNNAMED_OBJECT_PRE1 40 7 5",
                            "object EVS1 Rules 43 6 9",
                            "object STO1 UNNAMED_OBJECT_STO1 44 1 2",
                            "object MQT1 UNNAMED_OBJECT_MQT1 999 2 3",
                            "state 1.0",
                            "date 2",
                            "mqtt False",
                            "nothing None",
                            "features 64",
                            "time 60000.0",
                            "start None",
                            "counts 1.0",
                            "stop None",
                            "stopped 0.0",
                            "rules 1.0",
                            "rule lights: 0 22 * * *",
                            "deleted True",
                            "left 0.0",
                            "pushed True",
                            "clock pushed True",
                            "serial 0d123456"),
                    client.run(
                            "check.py",
                            ADDRESS.getHostAddress(),
                            base64(project.key().toArray()),
                            base64(project.iv().toArray()),
                            Files.createDirectories(directory.resolve("cache")).toString(),
                            INTERFACES.toString()));
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
