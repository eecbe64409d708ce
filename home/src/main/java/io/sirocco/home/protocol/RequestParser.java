// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static io.sirocco.home.protocol.Fields.ascii;
import static io.sirocco.home.protocol.Fields.startsWith;

import java.net.Inet4Address;

/**
 * Reads the plaintext of a request. {@code :} separates its parts, numbers are hexadecimal,
 * addresses in dotted decimal. Two requests have binary parts at fixed places:
 *
 * <pre>
 *   0           32 33     49 50                 67 68
 *   challenge    : IV      : req_discovery_clu   : address of the host
 *   challenge    : new IV  : req_set_key : new key                      (the key at 62)
 * </pre>
 *
 * <p>A client may leave its address empty ({@code req::SESSION:SCRIPT}) where a session follows.
 * Blanks, carriage returns and line feeds at both ends of the text do not count, except where a
 * length is exact. A request that is shorter than its shortest form is unknown. Pure functions; any
 * bytes have a result. Any thread.
 */
public final class RequestParser {
    static final byte[] LUA = ascii("req:");
    static final byte[] RESET = ascii("req_reset:");
    static final byte[] SET_IP = ascii("req_set_clu_ip:");
    static final byte[] START_TFTP = ascii("req_start_ftp");
    static final byte[] STOP_TFTP = ascii("req_tftp_stop");
    static final byte[] STOP_FTP = ascii("req_stop_ftp");
    static final byte[] MEASUREMENTS = ascii("req_gen_measurements:");
    static final byte[] DOWNLOADED = ascii("meas_file_download:");
    static final byte[] CHECK_ALIVE = ascii("req_check_alive:");
    static final byte[] DISCOVERY = ascii(":req_discovery_clu:");
    static final byte[] SET_KEY = ascii(":req_set_key:");
    static final byte[] OK = ascii("ok");

    static final int IV = Challenge.ENCRYPTED_LENGTH + 1;
    static final int NAME = IV + CipherKey.LENGTH; // begins with its colon

    private static final int SHORTEST_ADDRESS = "1.1.1.1".length();
    private static final int SHORTEST_SESSION = 6;
    private static final int SHORTEST_SERIAL = 4;
    private static final int SHORTEST_CALL = SHORTEST_ADDRESS + 1 + SHORTEST_SESSION + 1;
    private static final int SET_KEY_LENGTH = NAME + SET_KEY.length + CipherKey.LENGTH;

    private static final Inet4Address NO_ADDRESS = Inet4Address.ofLiteral("0.0.0.0");
    private static final Request UNKNOWN = new Request.Unknown();
    private static final Request MALFORMED = new Request.Malformed();

    private RequestParser() {}

    /** Reads {@code bytes[0..length)}. */
    public static Request parse(byte[] bytes, int length) {
        var fields = new Fields(bytes, 0, length);
        if (fields.skip(LUA)) {
            boolean named = !fields.isEmpty();
            return named && length < LUA.length + SHORTEST_CALL + 1 ? UNKNOWN : lua(fields);
        }
        if (fields.skip(RESET)) {
            return length < RESET.length + SHORTEST_ADDRESS ? UNKNOWN : reset(fields);
        }
        if (fields.skip(SET_IP)) {
            int shortest = SET_IP.length + SHORTEST_SERIAL + 2 * (1 + SHORTEST_ADDRESS);
            return length < shortest ? UNKNOWN : setIp(fields);
        }
        if (fields.skip(MEASUREMENTS)) {
            boolean named = !fields.isEmpty();
            return named && length < MEASUREMENTS.length + SHORTEST_CALL
                    ? UNKNOWN
                    : measurements(fields);
        }
        if (fields.skip(DOWNLOADED)) {
            return downloaded(fields);
        }
        if (fields.skip(CHECK_ALIVE)) {
            return checkAlive(fields);
        }
        if (isExactly(START_TFTP, bytes, length)) {
            return new Request.StartTftp();
        }
        if (isExactly(STOP_TFTP, bytes, length) || isExactly(STOP_FTP, bytes, length)) {
            return new Request.StopTftp();
        }
        return binary(bytes, length);
    }

    private static Request lua(Fields fields) {
        if (!fields.hasAtLeast(3)) {
            return UNKNOWN;
        }
        Inet4Address host = host(fields);
        long session = host == null ? -1 : fields.hex(8);
        return session < 0 ? MALFORMED : new Request.Lua(host, (int) session, fields.rest());
    }

    /**
     * Reads the address of the client, by which nothing is sent. Clients that do not know theirs
     * leave the field empty.
     */
    private static Inet4Address host(Fields fields) {
        return fields.skipEmpty() ? NO_ADDRESS : fields.address();
    }

    private static Request reset(Fields fields) {
        Inet4Address host = fields.hasFields(1) ? fields.address() : null;
        return host == null ? UNKNOWN : new Request.Reset(host);
    }

    private static Request setIp(Fields fields) {
        long serial = fields.hasFields(3) ? fields.hex(8) : -1;
        Inet4Address address = serial < 0 ? null : fields.address();
        Inet4Address gateway = address == null ? null : fields.address();
        return gateway == null ? UNKNOWN : new Request.SetIp((int) serial, address, gateway);
    }

    private static Request measurements(Fields fields) {
        Inet4Address host = fields.hasAtLeast(3) ? host(fields) : null;
        long session = host == null ? -1 : fields.hex(8);
        return session < 0 ? UNKNOWN : new Request.Measurements(host, (int) session, fields.rest());
    }

    private static Request downloaded(Fields fields) {
        Inet4Address clu = fields.hasFields(3) ? fields.address() : null;
        long session = clu == null ? -1 : fields.hex(8);
        return session < 0 || !fields.is(OK)
                ? UNKNOWN
                : new Request.MeasurementsDownloaded(clu, (int) session);
    }

    private static Request checkAlive(Fields fields) {
        Inet4Address host = fields.hasFields(2) ? host(fields) : null;
        long session = host == null ? -1 : fields.hex(8);
        return session < 0 ? UNKNOWN : new Request.CheckAlive(host, (int) session);
    }

    private static Request binary(byte[] bytes, int length) {
        if (length < NAME || bytes[IV - 1] != ':') {
            return UNKNOWN;
        }
        if (startsWith(DISCOVERY, bytes, NAME, length)) {
            var fields = new Fields(bytes, NAME + DISCOVERY.length, length);
            Inet4Address host = fields.hasFields(1) ? fields.address() : null;
            return host == null
                    ? UNKNOWN
                    : new Request.Discovery(challenge(bytes), Bytes.of(bytes, IV, NAME), host);
        }
        if (isExactly(SET_KEY_LENGTH, bytes, length) && startsWith(SET_KEY, bytes, NAME, length)) {
            Bytes key = Bytes.of(bytes, NAME + SET_KEY.length, SET_KEY_LENGTH);
            return new Request.SetKey(
                    challenge(bytes), new CipherKey(key, Bytes.of(bytes, IV, NAME)));
        }
        return UNKNOWN;
    }

    private static Bytes challenge(byte[] bytes) {
        return Bytes.of(bytes, 0, Challenge.ENCRYPTED_LENGTH);
    }

    /** Returns whether the whole text is {@code name}, or that and CRLF. */
    private static boolean isExactly(byte[] name, byte[] bytes, int length) {
        return isExactly(name.length, bytes, length) && startsWith(name, bytes, 0, length);
    }

    /** Returns whether {@code length} is the exact one, or that and CRLF. */
    private static boolean isExactly(int exact, byte[] bytes, int length) {
        return length == exact
                || length == exact + 2 && bytes[exact] == '\r' && bytes[exact + 1] == '\n';
    }
}
