// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.net.Inet4Address;

/** A message of a controller: the plaintext of a datagram. Immutable. */
public sealed interface Response {
    /**
     * {@code resp_discovery_clu}.
     *
     * @param proof 32 bytes: see {@link Challenge#proof}
     * @param iv 16 bytes, of {@link CipherKey#initial}
     * @param mac the lower 48 bits are the hardware address
     */
    record Discovery(Bytes proof, Bytes iv, int serial, long mac) implements Response {}

    /** {@code resp_set_clu_ip}. */
    record SetIp(int serial, Inet4Address address) implements Response {}

    /** {@code resp_reset}: the scripts run again. */
    record Reset(Inet4Address clu) implements Response {}

    /** {@code resp} with a value: the result of a script, or a push to a subscriber. */
    record Lua(Inet4Address clu, int session, String value) implements Response {}

    /** {@code meas_file_download}: the file of measurements can be read. */
    record Measurements(Inet4Address clu, int session) implements Response {}

    /** {@code resp_check_alive}. */
    record CheckAlive(int serial) implements Response {}

    /** {@code resp:OK}. */
    record Ok() implements Response {}

    /** {@code resp:ERROR}. */
    record Failed() implements Response {}

    /** Anything else: not a response. */
    record Unknown() implements Response {}
}
