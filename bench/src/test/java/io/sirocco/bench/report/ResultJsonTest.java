// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ResultJsonTest {
    private final JsonMapper mapper = new JsonMapper();

    @Test
    void members() {
        var result = SampleResult.of(0.5);
        var json = mapper.readTree(ResultJson.write(result));
        assertEquals(10.05, json.get("elapsedSeconds").asDouble());
        assertEquals(1_234_567, json.get("requests").asLong());
        assertEquals(122_842.488, json.get("requestsPerSecond").asDouble());
        assertEquals(result.micros(99.9), json.get("latencyMicros").get("p999").asDouble());
        assertEquals(7, json.get("statuses").get("503").asLong());
        assertEquals(3, json.get("failed").asLong());
        assertEquals(2, json.get("failures").get("reset").asLong());
        assertEquals(11, json.get("overTime").size());
        assertEquals(50.0, json.get("curve").get(0).get(0).asDouble());
        assertEquals(result.micros(50), json.get("curve").get(0).get(1).asDouble());
    }

    @Test
    void nothingWasAnswered() {
        var json = mapper.readTree(ResultJson.write(SampleResult.nothing()));
        assertEquals(0, json.get("latencyMicros").get("max").asDouble());
        assertEquals(0, json.get("curve").size());
        assertEquals(64, json.get("failures").get("connect").asLong());
    }

    @Test
    void theCurveRisesAndEndsAtTheSlowest() {
        var result = SampleResult.of(0.5);
        var curve = LatencyCurve.of(result);
        for (int i = 1; i < curve.size(); i++) {
            assertTrue(curve.get(i).percent() > curve.get(i - 1).percent());
            assertTrue(curve.get(i).micros() >= curve.get(i - 1).micros());
        }
        assertEquals(new Race.Point(100, result.micros(100)), curve.getLast());
    }
}
