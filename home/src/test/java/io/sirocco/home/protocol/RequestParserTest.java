// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.Inet4Address;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text rules of requests: lengths, trimming, offsets, CRLF. */
class RequestParserTest {
    private static final Inet4Address ONE = Inet4Address.ofLiteral("1.1.1.1");
    private static final Inet4Address HOST = Inet4Address.ofLiteral("10.72.144.72");
    private static final String BINARY = "c".repeat(32) + ":" + "i".repeat(16) + ":";
    private static final Bytes CHALLENGE = Bytes.of("c".repeat(32).getBytes(UTF_8));
    private static final Bytes IV = Bytes.of("i".repeat(16).getBytes(UTF_8));
    private static final Bytes KEY = Bytes.of("k:k:k:k:k:k:k:k:".getBytes(UTF_8));

    private static Request parse(String text) {
        byte[] bytes = text.translateEscapes().getBytes(UTF_8);
        return RequestParser.parse(bytes, bytes.length);
    }

    private static Request lua(Inet4Address host, int session, String script) {
        return new Request.Lua(host, session, script);
    }

    @Test
    void aScriptMayContainAnything() {
        assertEquals(lua(ONE, 0x123456, "a"), parse("req:1.1.1.1:123456:a"));
        assertEquals(lua(HOST, 1, "f(\"a:b\")"), parse("req:10.72.144.72:1:f(\"a:b\")\r\n"));
        assertEquals(lua(HOST, -1, " ż"), parse("req:10.72.144.72:FFFFffff: ż \r\n"));
        assertEquals(lua(ONE, 0x123456, ""), parse("req:1.1.1.1:123456:\r\n"));
        assertEquals(lua(ONE, 1, "x".repeat(9)), parse("\n\t req:1.1.1.1:1:xxxxxxxxx\0"));
    }

    /** As the direct integration of Home Assistant writes its requests. */
    @Test
    void theAddressMayBeEmpty() {
        Inet4Address none = Inet4Address.ofLiteral("0.0.0.0");
        assertEquals(lua(none, 0x3649, "checkAlive()"), parse("req::00003649:checkAlive()"));
        assertEquals(lua(none, 1, "a"), parse("req::1:a"));
        assertEquals(new Request.CheckAlive(none, 1), parse("req_check_alive::1"));
        assertEquals(new Request.Measurements(none, 1, ""), parse("req_gen_measurements::1:"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", // empty
                "hello",
                "req",
                "req:",
                "req:1.1.1.1:12345:a", // 19 bytes
                "req:1.1.1.1:123456xxxxx", // too few parts
                "REQ:10.72.144.72:00003649:checkAlive()",
                "xreq:10.72.144.72:00003649:checkAlive()",
                "resp:10.72.144.1:00003649:0d123456",
                "req_start_ftp:",
                "req_start_ft",
                "req_start_ftp\\n",
                " req_start_ftp",
                "req_start_ftp  ", // 15 bytes, but not CRLF
                "req_start_ftp\\r\\n\\n",
                "req_tftp_stop:",
                "req_tftp_stop\\n",
                " req_tftp_stop",
                "req_stop_ftp_",
                "req_stop_tftp",
                "req_reset:",
                "req_reset:1.1.1",
                "req_reset:1.1.1.1:",
                "req_reset:1.1.1.1:2",
                "req_reset:1.1.1.256",
                "req_set_clu_ip:0d123456:10.72.144.1",
                "req_set_clu_ip:0d123456:10.72.144.1:10.72.72.1:",
                "req_set_clu_ip:0d123456z:10.72.144.1:10.72.72.1",
                "req_set_clu_ip:0d1234567:10.72.144.1:10.72.72.1",
                "req_set_clu_ip:0d123456:10.72.144:10.72.72.1",
                "req_set_clu_ip:0d123456:10.72.144.1:",
                "req_set_clu_ip:abc:1.1.1.1:1.1.1.1", // 34 bytes
                "req_gen_measurements:1.1.1.1:12345:", // 35 bytes
                "req_gen_measurements:1.1.1.1:1234567",
                "req_gen_measurements:1.1.1.x:12345678:",
                "meas_file_download:",
                "meas_file_download:10.72.144.1:0000abcd",
                "meas_file_download:10.72.144.1:0000abcd:no",
                "meas_file_download:10.72.144.1:0000abcd:ok:",
                "req_check_alive:",
                "req_check_alive:10.72.144.72",
                "req_check_alive:10.72.144.72:",
                "req_check_alive:10.72.144.72:123456789",
                "req_check_alive:10.72.144.72:1:2"
            })
    void unknown(String text) {
        assertEquals(new Request.Unknown(), parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "req:10.72.144.72:zzzz3649:checkAlive()", // session
                "req:10.72.144.72::checkAlive()",
                "req:10.72.144.72:000003649:checkAlive()",
                "req:10.72.144.72:-1:checkAlive()",
                "req:10.72.144.72: 1:checkAlive()",
                "req:10.72.144.72:\\u00e91:checkAlive()",
                "req:10.72.144:00003649:checkAlive()", // address
                "req:10.72.144.:00003649:checkAlive()",
                "req:.10.72.144:00003649:checkAlive()",
                "req:10..72.144:00003649:checkAlive()",
                "req:10.72.144.72.1:00003649:checkAlive()",
                "req:10.72.144.256:00003649:checkAlive()",
                "req:10.72.144.0072:00003649:checkAlive()",
                "req:10.72.144.-1:00003649:checkAlive()",
                "req: 10.72.144.72:00003649:checkAlive()",
                "req:host:00003649:checkAlive()",
                "req:::checkAlive()",
                "req::zz:checkAlive()"
            })
    void malformedHasNoResponse(String text) {
        assertEquals(new Request.Malformed(), parse(text.replace("\\u00e9", "é")));
    }

    @Test
    void shortestAndPaddedForms() {
        assertEquals(new Request.StartTftp(), parse("req_start_ftp"));
        assertEquals(new Request.StartTftp(), parse("req_start_ftp\r\n"));
        for (String stop : new String[] {"req_tftp_stop", "req_stop_ftp"}) {
            assertEquals(new Request.StopTftp(), parse(stop));
            assertEquals(new Request.StopTftp(), parse(stop + "\r\n"));
        }
        assertEquals(new Request.Reset(ONE), parse("req_reset:1.1.1.1"));
        assertEquals(new Request.Reset(ONE), parse(" req_reset:001.01.1.1\r\n"));
        assertEquals(
                new Request.SetIp(0xabcd, ONE, ONE), parse("req_set_clu_ip:abcd:1.1.1.1:1.1.1.1"));
        assertEquals(
                new Request.Measurements(ONE, 0x123456, ""),
                parse("req_gen_measurements:1.1.1.1:123456:"));
        assertEquals(
                new Request.Measurements(HOST, 0xabcd, "x:y"),
                parse("req_gen_measurements:10.72.144.72:0000abcd:x:y\r\n"));
        assertEquals(
                new Request.MeasurementsDownloaded(ONE, 0xabcd),
                parse("meas_file_download:1.1.1.1:0000abcd:ok"));
        assertEquals(new Request.CheckAlive(HOST, 0xab), parse("req_check_alive:10.72.144.72:ab"));
    }

    @Test
    void discoveryHasItsTextAtOffset50() {
        var discovery = new Request.Discovery(CHALLENGE, IV, ONE);
        assertEquals(discovery, parse(BINARY + "req_discovery_clu:1.1.1.1"));
        assertEquals(discovery, parse(BINARY + "req_discovery_clu:1.1.1.1\r\n"));
        for (String wrong :
                new String[] {
                    BINARY + "req_discovery_clu:1.1.1",
                    BINARY + "req_discovery_clu:1.1.1.1:",
                    BINARY + "req_discovery_clu:1.1.1.1:2",
                    BINARY + "req_discovery_clu",
                    BINARY + " req_discovery_clu:1.1.1.1",
                    BINARY.replace(':', ';') + "req_discovery_clu:1.1.1.1",
                    BINARY.substring(1) + "req_discovery_clu:1.1.1.1",
                    BINARY
                }) {
            assertEquals(new Request.Unknown(), parse(wrong), wrong);
        }
    }

    @Test
    void setKeyHas78BytesOr80() {
        String text = BINARY + "req_set_key:" + new String(KEY.toArray(), UTF_8);
        var setKey = new Request.SetKey(CHALLENGE, new CipherKey(KEY, IV));
        assertEquals(78, text.length());
        assertEquals(setKey, parse(text));
        assertEquals(setKey, parse(text + "\r\n"));
        for (String wrong :
                new String[] {
                    text.substring(0, 77), text + "\n", text + "  ", text + "\r\n\n", text + "xx"
                }) {
            assertEquals(new Request.Unknown(), parse(wrong), wrong);
        }
    }

    /** The parts that are binary may look like anything: blanks, colons, no UTF-8. */
    @Test
    void binaryPartsAreNotText() {
        byte[] bytes =
                (" ".repeat(32) + ":" + ":".repeat(16) + ":req_set_key:" + "\n".repeat(16))
                        .getBytes(ISO_8859_1);
        Bytes blank = Bytes.of(bytes, 0, 32);
        CipherKey key =
                new CipherKey(
                        Bytes.of("\n".repeat(16).getBytes(UTF_8)),
                        Bytes.of(":".repeat(16).getBytes(UTF_8)));
        assertEquals(new Request.SetKey(blank, key), RequestParser.parse(bytes, bytes.length));
    }

    @Test
    void theArrayMayBeLongerThanTheDatagram() {
        byte[] bytes = "req:1.1.1.1:123456:a + stale bytes".getBytes(UTF_8);
        assertEquals(lua(ONE, 0x123456, "a"), RequestParser.parse(bytes, 20));
        assertEquals(new Request.Unknown(), RequestParser.parse(bytes, 19));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    resp:OK                                     | Ok[]
                    resp:OK\\r\\n                               | Ok[]
                    resp:ERROR                                  | Failed[]
                    resp:ERROR\\r\\n                            | Failed[]
                    resp:ok                                     | Unknown[]
                    resp:                                       | Unknown[]
                    resp:1.1.1.1:1                              | Unknown[]
                    resp:1.1.1.1:x:1                            | Unknown[]
                    resp:1.1.1:1:1                              | Unknown[]
                    resp:1.1.1.1:1:                             | Lua[clu=/1.1.1.1, session=1, value=]
                    resp:1.1.1.1:0000abcd:a:b                   | Lua[clu=/1.1.1.1, session=43981, value=a:b]
                    resp_reset:1.1.1.1                          | Reset[clu=/1.1.1.1]
                    resp_reset:1.1.1.1:2                        | Unknown[]
                    resp_set_clu_ip:0d123456:1.1.1.1            | SetIp[serial=219296854, address=/1.1.1.1]
                    resp_set_clu_ip:0d123456:1.1.1.1:2          | Unknown[]
                    meas_file_download:1.1.1.1:0000abcd:ok      | Measurements[clu=/1.1.1.1, session=43981]
                    meas_file_download:1.1.1.1:0000abcd:        | Unknown[]
                    resp_check_alive:d123456                    | CheckAlive[serial=219296854]
                    resp_check_alive:                           | Unknown[]
                    req:10.72.144.72:00003649:checkAlive()      | Unknown[]
                    """)
    void responses(String text, String expected) {
        byte[] bytes = text.translateEscapes().getBytes(UTF_8);
        assertEquals(expected, ResponseParser.parse(bytes, bytes.length).toString());
    }

    @Test
    void whatNobodySendsCannotBeWritten() {
        var writer = new DatagramWriter();
        assertThrows(IllegalArgumentException.class, () -> writer.write(new Request.Unknown()));
        assertThrows(IllegalArgumentException.class, () -> writer.write(new Request.Malformed()));
        assertThrows(IllegalArgumentException.class, () -> writer.write(new Response.Unknown()));
    }

    @Test
    void aLongValueIsWritten() {
        var writer = new DatagramWriter();
        var response = new Response.Lua(HOST, -2, "ż".repeat(5_000));
        int length = writer.write(response);
        assertEquals(response, ResponseParser.parse(writer.bytes(), length));
    }
}
