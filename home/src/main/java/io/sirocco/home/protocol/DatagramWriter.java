// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.Inet4Address;
import java.util.Arrays;

/**
 * Writes plaintexts, one after the other into the same array. Sessions and serial numbers have
 * eight digits. CR and LF end the two requests with a free last part; responses have no line end.
 * Used by one thread.
 */
public final class DatagramWriter {
    private static final byte[] DIGITS = Fields.ascii("0123456789abcdef");

    private byte[] bytes = new byte[256];
    private int length;

    /** Creates a writer with a small array, which grows. */
    public DatagramWriter() {}

    /** Returns the array; another write may replace it. */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * Writes a request.
     *
     * @return how many bytes {@link #bytes} now begins with
     * @throws IllegalArgumentException when it is no request that a client sends
     */
    public int write(Request request) {
        length = 0;
        switch (request) {
            case Request.Lua lua ->
                    text(RequestParser.LUA)
                            .call(lua.host(), lua.session())
                            .text(lua.script())
                            .lineFeed();
            case Request.Reset reset -> text(RequestParser.RESET).address(reset.host());
            case Request.SetIp ip ->
                    text(RequestParser.SET_IP)
                            .hex(ip.serial(), 8)
                            .colon()
                            .address(ip.address())
                            .colon()
                            .address(ip.gateway());
            case Request.SetKey set ->
                    binary(set.challenge())
                            .colon()
                            .binary(set.key().iv())
                            .text(RequestParser.SET_KEY)
                            .binary(set.key().key());
            case Request.Discovery discovery ->
                    binary(discovery.challenge())
                            .colon()
                            .binary(discovery.iv())
                            .text(RequestParser.DISCOVERY)
                            .address(discovery.host());
            case Request.StartTftp _ -> text(RequestParser.START_TFTP);
            case Request.StopTftp _ -> text(RequestParser.STOP_TFTP);
            case Request.Measurements measurements ->
                    text(RequestParser.MEASUREMENTS)
                            .call(measurements.host(), measurements.session())
                            .text(measurements.argument())
                            .lineFeed();
            case Request.MeasurementsDownloaded downloaded ->
                    downloaded(downloaded.clu(), downloaded.session());
            case Request.CheckAlive check ->
                    text(RequestParser.CHECK_ALIVE)
                            .address(check.host())
                            .colon()
                            .hex(check.session(), 8);
            case Request.Unknown _, Request.Malformed _ ->
                    throw new IllegalArgumentException("not a request: " + request);
        }
        return length;
    }

    /**
     * Writes a response.
     *
     * @return how many bytes {@link #bytes} now begins with
     * @throws IllegalArgumentException when it is no response that a controller sends
     */
    public int write(Response response) {
        length = 0;
        switch (response) {
            case Response.Lua lua ->
                    text(ResponseParser.LUA).call(lua.clu(), lua.session()).text(lua.value());
            case Response.Ok _ -> text(ResponseParser.OK);
            case Response.Failed _ -> text(ResponseParser.FAILED);
            case Response.Reset reset -> text(ResponseParser.RESET).address(reset.clu());
            case Response.SetIp ip ->
                    text(ResponseParser.SET_IP).hex(ip.serial(), 8).colon().address(ip.address());
            case Response.Measurements measurements ->
                    downloaded(measurements.clu(), measurements.session());
            case Response.CheckAlive check ->
                    text(ResponseParser.CHECK_ALIVE).hex(check.serial(), 8);
            case Response.Discovery discovery ->
                    binary(discovery.proof())
                            .colon()
                            .binary(discovery.iv())
                            .text(ResponseParser.DISCOVERY)
                            .hex(discovery.serial(), 8)
                            .colon()
                            .hex(discovery.mac(), 12);
            case Response.Unknown _ ->
                    throw new IllegalArgumentException("not a response: " + response);
        }
        return length;
    }

    private void downloaded(Inet4Address clu, int session) {
        text(RequestParser.DOWNLOADED).call(clu, session).text(RequestParser.OK);
    }

    /** An address and a session, each with its colon. */
    private DatagramWriter call(Inet4Address address, int session) {
        return address(address).colon().hex(session, 8).colon();
    }

    private DatagramWriter address(Inet4Address address) {
        byte[] parts = address.getAddress();
        ensure(15);
        for (int i = 0; i < 4; i++) {
            if (i > 0) {
                bytes[length++] = '.';
            }
            int part = parts[i] & 0xff;
            if (part >= 100) {
                bytes[length++] = DIGITS[part / 100];
            }
            if (part >= 10) {
                bytes[length++] = DIGITS[part / 10 % 10];
            }
            bytes[length++] = DIGITS[part % 10];
        }
        return this;
    }

    private DatagramWriter hex(long value, int digits) {
        ensure(digits);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            bytes[length++] = DIGITS[(int) (value >>> shift) & 15];
        }
        return this;
    }

    private DatagramWriter colon() {
        ensure(1);
        bytes[length++] = ':';
        return this;
    }

    private DatagramWriter lineFeed() {
        ensure(2);
        bytes[length++] = '\r';
        bytes[length++] = '\n';
        return this;
    }

    private DatagramWriter text(String text) {
        return text(text.getBytes(UTF_8));
    }

    private DatagramWriter text(byte[] text) {
        ensure(text.length);
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
        return this;
    }

    private DatagramWriter binary(Bytes binary) {
        ensure(binary.length());
        binary.copyTo(bytes, length);
        length += binary.length();
        return this;
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
    }
}
