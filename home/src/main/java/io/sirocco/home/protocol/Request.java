// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.net.Inet4Address;

/**
 * A request to a controller: the plaintext of a datagram. A {@code host} is the address that the
 * client has written, 0.0.0.0 if it has left it empty. Immutable.
 */
public sealed interface Request {
    /**
     * {@code req_discovery_clu}: asks all controllers of the network who they are.
     *
     * @param challenge 32 bytes for {@link Challenge#prove}
     * @param iv 16 bytes: the response is encrypted under {@link CipherKey#grenton} of them
     */
    record Discovery(Bytes challenge, Bytes iv, Inet4Address host) implements Request {}

    /** {@code req_set_clu_ip}: assigns an address to the controller with a serial number. */
    record SetIp(int serial, Inet4Address address, Inet4Address gateway) implements Request {}

    /**
     * {@code req_set_key}: sets the project key.
     *
     * @param challenge 32 bytes; controllers do not check them
     */
    record SetKey(Bytes challenge, CipherKey key) implements Request {}

    /** {@code req_reset}: restarts the scripts. */
    record Reset(Inet4Address host) implements Request {}

    /**
     * {@code req}: evaluates an expression in Lua.
     *
     * @param session an unsigned number, which the response repeats
     */
    record Lua(Inet4Address host, int session, String script) implements Request {}

    /** {@code req_start_ftp}: starts the TFTP server. */
    record StartTftp() implements Request {}

    /**
     * {@code req_tftp_stop} or {@code req_stop_ftp}: stops the TFTP server. The vendor's
     * controllers are said to ignore it; this one stops and responds {@code resp:OK}, as clients
     * that send it wait for a response.
     */
    record StopTftp() implements Request {}

    /** {@code req_gen_measurements}: writes the file of measurements, and starts TFTP. */
    record Measurements(Inet4Address host, int session, String argument) implements Request {}

    /** {@code meas_file_download}: the client has read the file; the response is the same text. */
    record MeasurementsDownloaded(Inet4Address clu, int session) implements Request {}

    /** {@code req_check_alive}: asks for the serial number, without Lua. */
    record CheckAlive(Inet4Address host, int session) implements Request {}

    /** Anything else; the response is {@code resp:ERROR}. */
    record Unknown() implements Request {}

    /** A {@link Lua} request with a wrong address or session; it has no response. */
    record Malformed() implements Request {}
}
