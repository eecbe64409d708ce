// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static io.sirocco.home.protocol.Fields.ascii;
import static io.sirocco.home.protocol.Fields.startsWith;

import java.net.Inet4Address;

/**
 * Reads the plaintext of a response. The response to a discovery has binary parts at fixed places:
 *
 * <pre>
 *   0       32 33  49 50                  68 69
 *   proof    : IV   : resp_discovery_clu   : serial number : hardware address
 * </pre>
 *
 * <p>Blanks, carriage returns and line feeds at both ends of the text do not count. Pure functions;
 * any bytes have a result. Any thread.
 */
public final class ResponseParser {
    static final byte[] LUA = ascii("resp:");
    static final byte[] OK = ascii("resp:OK");
    static final byte[] FAILED = ascii("resp:ERROR");
    static final byte[] RESET = ascii("resp_reset:");
    static final byte[] SET_IP = ascii("resp_set_clu_ip:");
    static final byte[] CHECK_ALIVE = ascii("resp_check_alive:");
    static final byte[] DISCOVERY = ascii(":resp_discovery_clu:");

    private static final Response UNKNOWN = new Response.Unknown();
    private static final Response RESULT_OK = new Response.Ok();
    private static final Response RESULT_FAILED = new Response.Failed();

    private ResponseParser() {}

    /** Reads {@code bytes[0..length)}. */
    public static Response parse(byte[] bytes, int length) {
        var fields = new Fields(bytes, 0, length);
        if (fields.is(OK)) {
            return RESULT_OK;
        }
        if (fields.is(FAILED)) {
            return RESULT_FAILED;
        }
        if (fields.skip(LUA)) {
            return lua(fields);
        }
        if (fields.skip(RESET)) {
            Inet4Address clu = fields.hasFields(1) ? fields.address() : null;
            return clu == null ? UNKNOWN : new Response.Reset(clu);
        }
        if (fields.skip(SET_IP)) {
            return setIp(fields);
        }
        if (fields.skip(RequestParser.DOWNLOADED)) {
            return measurements(fields);
        }
        if (fields.skip(CHECK_ALIVE)) {
            long serial = fields.hasFields(1) ? fields.hex(8) : -1;
            return serial < 0 ? UNKNOWN : new Response.CheckAlive((int) serial);
        }
        return discovery(bytes, length);
    }

    private static Response lua(Fields fields) {
        Inet4Address clu = fields.hasAtLeast(3) ? fields.address() : null;
        long session = clu == null ? -1 : fields.hex(8);
        return session < 0 ? UNKNOWN : new Response.Lua(clu, (int) session, fields.rest());
    }

    private static Response setIp(Fields fields) {
        long serial = fields.hasFields(2) ? fields.hex(8) : -1;
        Inet4Address address = serial < 0 ? null : fields.address();
        return address == null ? UNKNOWN : new Response.SetIp((int) serial, address);
    }

    private static Response measurements(Fields fields) {
        Inet4Address clu = fields.hasFields(3) ? fields.address() : null;
        long session = clu == null ? -1 : fields.hex(8);
        return session < 0 || !fields.is(RequestParser.OK)
                ? UNKNOWN
                : new Response.Measurements(clu, (int) session);
    }

    private static Response discovery(byte[] bytes, int length) {
        int iv = RequestParser.IV;
        int name = RequestParser.NAME;
        if (length < name || bytes[iv - 1] != ':' || !startsWith(DISCOVERY, bytes, name, length)) {
            return UNKNOWN;
        }
        var fields = new Fields(bytes, name + DISCOVERY.length, length);
        long serial = fields.hasFields(2) ? fields.hex(8) : -1;
        long mac = serial < 0 ? -1 : fields.hex(12);
        return mac < 0
                ? UNKNOWN
                : new Response.Discovery(
                        Bytes.of(bytes, 0, Challenge.ENCRYPTED_LENGTH),
                        Bytes.of(bytes, iv, name),
                        (int) serial,
                        mac);
    }
}
