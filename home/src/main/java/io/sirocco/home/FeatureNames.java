// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The names of the features that the page shows, by class: without those whose values are long or
 * whose reading has effects. Immutable.
 */
record FeatureNames(Map<Integer, String> names) {
    private static final FeatureNames NONE = new FeatureNames(Map.of());

    private static final Map<Integer, FeatureNames> OBJECTS =
            Map.ofEntries(
                    Map.entry(
                            0,
                            parse(
                                    "0 Uptime, 2 State, 5 Date, 6 Time, 14 TimeZone, 20 MQTTUrl, 21"
                                            + " UseMQTT, 22 MQTTConnection, 23 MQTTDiscovery, 24"
                                            + " MQTTDiscoveryPrefix, 25 MQTTMessage")),
                    Map.entry(4, parse("0 Value")),
                    Map.entry(5, parse("0 Value")),
                    Map.entry(6, parse("0 Time, 1 Mode, 2 State, 3 Value")),
                    Map.entry(15, parse("0 Rule, 1 SinceLastRun, 2 ToNextRun, 3 State")),
                    Map.entry(16, parse("0 Data, 1 State, 2 Value, 3 Min, 4 Max")),
                    Map.entry(
                            39,
                            parse(
                                    "0 Longitude, 1 Latitude, 2 State, 5 SunriseLocal, 6"
                                            + " SunsetLocal, 11 IsDayNow, 12 SunriseOffset, 13"
                                            + " SunsetOffset, 14 NextSunrise, 15 NextSunset")),
                    Map.entry(
                            40,
                            parse(
                                    "0 Timeout, 1 State, 2 PresenceDetected, 3"
                                            + " TimeFromLastPresence, 4 DetectionDelay, 5 Locked, 6"
                                            + " Mode")),
                    Map.entry(
                            43,
                            parse(
                                    "1 CurrentRule, 2 NextRule, 3 RuleCount, 4 RuleAvailableCount,"
                                            + " 5 State")),
                    Map.entry(44, parse("1 Utilisation")),
                    Map.entry(999, parse("0 Topic, 1 Message")));

    private static final Map<Integer, FeatureNames> GATES =
            Map.of(
                    120,
                    parse(
                            "0 Path, 1 Method, 3 RequestType, 6 ResponseType, 9 StatusCode, 10 Port, 11 TLS, 12 Listening"),
                    121,
                    parse("0 Host, 1 Path, 3 Method, 4 Timeout, 11 StatusCode, 12 Active"),
                    999,
                    OBJECTS.get(999));

    /** Returns the names of a class; none for one that only stores. */
    static FeatureNames of(int type, boolean gate) {
        return (gate ? GATES : OBJECTS).getOrDefault(type, NONE);
    }

    Set<Integer> indexes() {
        return names.keySet();
    }

    /** Returns a name; an empty string for an unknown feature. */
    String of(int index) {
        return names.getOrDefault(index, "");
    }

    private static FeatureNames parse(String list) {
        var names = new TreeMap<Integer, String>();
        for (String entry : list.split(", ")) {
            String[] words = entry.split(" ");
            names.put(Integer.parseInt(words[0]), words[1]);
        }
        return new FeatureNames(names);
    }
}
