// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.home.Clu;
import io.sirocco.home.ObjectSnapshot;
import io.sirocco.home.lua.ReportClient;
import io.sirocco.home.lua.ScriptLog;
import io.sirocco.home.mqtt.MqttStatus;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The controller as the page shows it. Immutable.
 *
 * @param state of the scripts: {@code running}, {@code emergency}, ...
 * @param serial 8 hexadecimal digits
 * @param fortified whether it accepts nothing without its project key, which it has
 * @param refused how many requests had no effect since the start
 * @param demo whether the classes of the objects are those of the demo
 * @param shown how many objects and values Home Assistant shows
 * @param busy whether the thread of the scripts did not list its objects in time
 */
record HomeState(
        String state,
        String serial,
        String address,
        boolean fortified,
        long refused,
        boolean demo,
        MqttStatus mqtt,
        int shown,
        boolean busy,
        List<ObjectSnapshot> objects,
        List<ReportClient> clients,
        List<LogLine> log) {
    private static final int MAX_LINES = 200;

    /** A line of the log. Immutable. */
    record LogLine(Instant time, String level, String text) {}

    /** The facts of a controller that do not change. Immutable. */
    record Facts(boolean demo) {}

    /** Reads the state; waits up to 2 s for the thread of the scripts. */
    static HomeState of(Clu clu, Facts facts) throws InterruptedException {
        List<ObjectSnapshot> objects = List.of();
        boolean busy = false;
        try {
            objects = clu.objects().get(2, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            busy = true;
        }
        List<ScriptLog.Line> lines = clu.log().lines();
        return new HomeState(
                clu.status().name().toLowerCase(Locale.ROOT),
                HexFormat.of().toHexDigits(clu.serial()),
                clu.address().getAddress().getHostAddress() + ":" + clu.address().getPort(),
                clu.fortified(),
                clu.refused().total(),
                facts.demo,
                clu.mqtt(),
                clu.shownObjects(),
                busy,
                objects,
                clu.clients(),
                lines.subList(Math.max(0, lines.size() - MAX_LINES), lines.size()).stream()
                        .map(HomeState::line)
                        .toList());
    }

    private static LogLine line(ScriptLog.Line line) {
        return new LogLine(line.time(), line.level().getName(), line.text());
    }
}
