// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.ZoneId;
import java.util.List;

/**
 * The time zones that feature TimeZone of a controller numbers from 0 to 22, and a place in each:
 * the one that the IANA time zone database (zone.tab) gives for it. Immutable.
 */
public final class Zones {
    /** The number of UTC, the default. */
    public static final int UTC = 22;

    private record Zone(ZoneId id, double latitude, double longitude) {}

    private static final List<Zone> ALL =
            List.of(
                    zone("Europe/Warsaw", 52.25, 21.00),
                    zone("Europe/London", 51.51, -0.13),
                    zone("Europe/Moscow", 55.76, 37.62),
                    zone("Europe/Istanbul", 41.02, 28.97),
                    zone("Europe/Athens", 37.97, 23.72),
                    zone("Asia/Dubai", 25.30, 55.30),
                    zone("Asia/Jakarta", -6.17, 106.80),
                    zone("Asia/Hong_Kong", 22.28, 114.15),
                    zone("Australia/Sydney", -33.87, 151.22),
                    zone("Australia/Perth", -31.95, 115.85),
                    zone("Australia/Brisbane", -27.47, 153.03),
                    zone("Pacific/Auckland", -36.87, 174.77),
                    zone("Pacific/Honolulu", 21.31, -157.86),
                    zone("America/Anchorage", 61.22, -149.90),
                    zone("America/Chicago", 41.85, -87.65),
                    zone("America/New_York", 40.71, -74.01),
                    zone("America/Barbados", 13.10, -59.62),
                    zone("America/Sao_Paulo", -23.53, -46.62),
                    zone("America/Bogota", 4.60, -74.08),
                    zone("America/Argentina/Buenos_Aires", -34.60, -58.45),
                    zone("America/Chicago", 41.85, -87.65), // twice, as the vendor's list has it
                    zone("America/Los_Angeles", 34.05, -118.24),
                    zone("UTC", 51.48, 0)); // Greenwich

    private Zones() {}

    private static Zone zone(String id, double latitude, double longitude) {
        return new Zone(ZoneId.of(id), latitude, longitude);
    }

    /**
     * Returns the zone with a number.
     *
     * @throws IllegalArgumentException if the number is not 0 to 22
     */
    public static ZoneId of(int number) {
        if (number < 0 || number >= ALL.size()) {
            throw new IllegalArgumentException(
                    "The time zone " + number + " is not 0 to " + (ALL.size() - 1) + ".");
        }
        return ALL.get(number).id;
    }

    /** Returns the sun over the city of a zone; over Greenwich for a zone without a number. */
    public static Sun sun(ZoneId id) {
        Zone zone =
                ALL.stream().filter(each -> each.id.equals(id)).findFirst().orElse(ALL.get(UTC));
        return new Sun(zone.latitude, zone.longitude);
    }
}
