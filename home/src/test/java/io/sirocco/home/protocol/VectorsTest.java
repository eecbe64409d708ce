// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.Inet4Address;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Datagrams as an independent peer computes them, written and read. */
class VectorsTest {
    private static final Bytes IV = bytes("101112131415161718191a1b1c1d1e1f");
    private static final Bytes CLU_IV = bytes("202122232425262728292a2b2c2d2e2f");
    private static final CipherKey PROJECT =
            new CipherKey(bytes("000102030405060708090a0b0c0d0e0f"), IV);
    private static final CipherKey INITIAL = CipherKey.initial("00000000", CLU_IV);
    private static final byte[] RANDOM =
            hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d");
    private static final Bytes CHALLENGE =
            bytes("954f64f2e4e86e9eee82d20216684899d827255b60422b0c2c7ee88dabc00dc1");
    private static final Inet4Address HOST = Inet4Address.ofLiteral("10.72.144.72");
    private static final Inet4Address CLU = Inet4Address.ofLiteral("10.72.144.1");
    private static final int SERIAL = 0x0d123456;

    @Test
    void initialKeys() {
        assertEquals(bytes("899fd3b7c92993e390e7aaeebe219126"), INITIAL.key());
        assertEquals(
                Bytes.of(Base64.getDecoder().decode("iZ/Tt8kpk+OQ56ruviGRJg==")), INITIAL.key());
        assertEquals(
                bytes("f8eed6b2b85896e695e2db9fbb24e057"),
                CipherKey.initial("AA55AA55", CLU_IV).key());
        assertEquals(
                bytes("899ed1b4cd2c95e497e1afeabd239026"),
                CipherKey.initial("01234567", CLU_IV).key());
    }

    @Test
    void hashes() {
        assertArrayEquals(
                hex("1d081b082d2a1c186c3284b8b20e1e5033ea6801040f0c41063158635a8f"),
                Challenge.hash(RANDOM));
        byte[] signed = new byte[30];
        byte[] begin = hex("ff80017f00");
        System.arraycopy(begin, 0, signed, 0, 5);
        for (int i = 5; i < 30; i++) {
            signed[i] = (byte) (0xc8 + i - 5);
        }
        assertArrayEquals(
                hex("1fb2022a04ab60a69a8260be00f740a5fa19ccfd04fb0001de7079ba34f4"),
                Challenge.hash(signed));
        assertArrayEquals(
                Base64.getDecoder().decode("ouqoyvvchxjk/wADCMGqutS84CNQM7aAxLoIPyTf"),
                Challenge.hash(
                        Base64.getDecoder().decode("dAp8ZAQI3fde2qg7AeXbe1ZJNZkaIzPcGGieBnTW")));
    }

    @Test
    void challenge() {
        assertEquals(CHALLENGE, Challenge.encrypt(RANDOM, PROJECT));
        Bytes proof = bytes("764d98a5c6b37b2013dbcc5728aab391b8fcf09c7601ba9a4bca0a3c0cbca217");
        assertEquals(proof, Challenge.proof(RANDOM, INITIAL));
        assertEquals(proof, Challenge.prove(CHALLENGE, PROJECT, INITIAL, new Random(1)));
    }

    @Test
    void lua() {
        request(
                new Request.Lua(HOST, 0x3649, "checkAlive()"),
                text("req:10.72.144.72:00003649:checkAlive()\r\n"),
                PROJECT,
                """
                74addc9be03bd489313ddd21e15fab18b8c7ad28c6e9de2396f373516526343218e76fd1440122023a986c73\
                d605a162""");
        response(
                new Response.Lua(CLU, 0x3649, "0d123456"),
                text("resp:10.72.144.1:00003649:0d123456"),
                PROJECT,
                """
                f794fecfc4c4faa3affa92b2860a081315a7babafea89274cc956af4b8c63301e1de8542ce52ebae146015c7\
                e02b598a""");
    }

    @Test
    void discovery() {
        request(
                new Request.Discovery(CHALLENGE, IV, HOST),
                """
                954f64f2e4e86e9eee82d20216684899d827255b60422b0c2c7ee88dabc00dc13a101112131415161718191a\
                1b1c1d1e1f3a7265715f646973636f766572795f636c753a31302e37322e3134342e3732""",
                CipherKey.BROADCAST,
                """
                5f794ef69b4c286eca4ba8aa1f64fabb423ddfe8dc13fc1c1c4601ec987d3e7cd398435b8efd7b54a4793aac\
                7b3326b08fa42d618bf53288e6483a8d84ea689ab15fd0ae19bfcc925f73acacd8be6002daa71d6a859ad80a\
                d6bfadd5bedc95f2""");
        response(
                new Response.Discovery(
                        Challenge.proof(RANDOM, INITIAL), CLU_IV, SERIAL, 0x0eaa55aa55aaL),
                """
                764d98a5c6b37b2013dbcc5728aab391b8fcf09c7601ba9a4bca0a3c0cbca2173a202122232425262728292a\
                2b2c2d2e2f3a726573705f646973636f766572795f636c753a30643132333435363a30656161353561613535\
                6161""",
                CipherKey.grenton(IV),
                """
                432924cc07b72a84690903885cb9dec8d51acd2b07ad45f140ca77ab7e89e317ad6e61a64312fc20e687d4b6\
                5c93727ae1732dad8e75a4ac140c2b655d44a036f762f2654b0e6f2e22b7c1046803c81c3d21e876c716c52b\
                bffba6174dbdf82b""");
    }

    @Test
    void setKey() {
        request(
                new Request.SetKey(CHALLENGE, PROJECT),
                """
                954f64f2e4e86e9eee82d20216684899d827255b60422b0c2c7ee88dabc00dc13a101112131415161718191a\
                1b1c1d1e1f3a7265715f7365745f6b65793a000102030405060708090a0b0c0d0e0f""",
                INITIAL,
                """
                34458a66635847e9f9ab02c6533875526107c42b351cab71f726183fd2e7abe3619c0d169a717fc6c87a8478\
                7e6d085858f5ea346493719d6c3e3e11aa6a2921410de6b65229dc076e0582aa132abbaa""");
        response(new Response.Ok(), text("resp:OK"), PROJECT, "e871a4f194bd13c733ffef30ae1db4d3");
        response(
                new Response.Failed(),
                text("resp:ERROR"),
                PROJECT,
                "cbfa9ab8d5483153de13c6dd2a943962");
    }

    @Test
    void others() {
        request(
                new Request.StartTftp(),
                text("req_start_ftp"),
                PROJECT,
                "d2330ab7ca94bcb9248ee72d14f6df3b");
        request(
                new Request.Reset(HOST),
                text("req_reset:10.72.144.72"),
                PROJECT,
                "bb2ef2d4cdfcbe07d06f65edfec2a0c70795062c9dd9d9fd6ac1e8844b65a7a3");
        response(
                new Response.Reset(CLU),
                text("resp_reset:10.72.144.1"),
                PROJECT,
                "7dab8c7009ef364a30f77d2790082969dcfb75cd326099bdb1b08ea183f2b505");
        request(
                new Request.SetIp(SERIAL, CLU, Inet4Address.ofLiteral("10.72.72.1")),
                text("req_set_clu_ip:0d123456:10.72.144.1:10.72.72.1"),
                PROJECT,
                """
                ae6ba6a28f8f5c0d1c12b1b2721053789c6bdfc0071cc024140bcbb0fe2a27da34e97e30c8b248ae5c7cc360\
                2bdfa188""");
    }

    private static void request(
            Request request, String plaintext, CipherKey key, String ciphertext) {
        var writer = new DatagramWriter();
        int length = writer.write(request);
        byte[] plain = crossed(Arrays.copyOf(writer.bytes(), length), plaintext, key, ciphertext);
        assertEquals(request, RequestParser.parse(plain, plain.length));
    }

    private static void response(
            Response response, String plaintext, CipherKey key, String ciphertext) {
        var writer = new DatagramWriter();
        int length = writer.write(response);
        byte[] plain = crossed(Arrays.copyOf(writer.bytes(), length), plaintext, key, ciphertext);
        assertEquals(response, ResponseParser.parse(plain, plain.length));
    }

    /** Returns what the receiver decrypts. */
    private static byte[] crossed(
            byte[] written, String plaintext, CipherKey key, String ciphertext) {
        assertEquals(plaintext, HexFormat.of().formatHex(written));
        var cipher = new CluCipher(key);
        byte[] sent = new byte[CluCipher.encryptedLength(written.length)];
        assertEquals(sent.length, cipher.encrypt(written, 0, written.length, sent));
        assertEquals(ciphertext, HexFormat.of().formatHex(sent));
        byte[] received = new byte[sent.length];
        int length = cipher.decrypt(sent, 0, sent.length, received);
        return Arrays.copyOf(received, length);
    }

    private static String text(String text) {
        return HexFormat.of().formatHex(text.getBytes(ISO_8859_1));
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static Bytes bytes(String digits) {
        return Bytes.of(hex(digits));
    }
}
