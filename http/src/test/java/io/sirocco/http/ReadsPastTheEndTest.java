// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** Streams of bodies refuse a range outside of the array, however little there is to read. */
class ReadsPastTheEndTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.post("/body", r -> checked(r.body().inputStream()));
        routes.post("/part", r -> checked(r.multipart().iterator().next().stream()));
    }

    private static Response checked(InputStream in) throws Exception {
        byte[] ten = new byte[10];
        assertThrows(IndexOutOfBoundsException.class, () -> in.read(ten, 0, 50));
        assertThrows(IndexOutOfBoundsException.class, () -> in.read(ten, 8, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> in.read(ten, -1, 0));
        return Response.bytes(in.readAllBytes());
    }

    @Test
    void aBody() {
        wireWhole(
                        """
                        POST /body HTTP/1.1
                        Host: a
                        Content-Length: 3

                        abc""")
                .answers(200, "abc")
                .goesOn();
    }

    @Test
    void aPart() {
        wireWhole(
                        """
                        POST /part HTTP/1.1
                        Host: a
                        Content-Type: multipart/form-data; boundary=x
                        Content-Length: 61

                        --x
                        Content-Disposition: form-data; name="a"

                        abc
                        --x--
                        """)
                .answers(200, "abc")
                .goesOn();
    }
}
