// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import io.sirocco.testkit.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A certificate authority in a folder of a test: {@code authority.pem}, and what it has signed.
 * Used by one thread.
 */
public record Authority(Path folder, Certificates certificates) {

    public static Authority in(Path folder) throws IOException {
        return new Authority(folder, Certificates.authority(folder, "authority"));
    }

    /** {@code NAME.pem} and {@code NAME.key}, for that name and for localhost. */
    public void signs(String name) throws IOException {
        certificates.sign(name, "EC", name, "localhost", "127.0.0.1");
    }

    /**
     * The same for a subject of several attributes, in which openssl, which signs it, reads escapes
     * such as {@code \\n}.
     */
    public void signsSubject(String name, String... attributes)
            throws IOException, InterruptedException {
        openssl(
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out %s.key"
                        .formatted(name));
        Files.writeString(
                folder.resolve(name + ".cnf"),
                "[req]\nprompt = no\nutf8 = yes\nstring_mask = utf8only\n"
                        + "distinguished_name = subject\n[subject]\n"
                        + String.join("\n", attributes)
                        + "\n");
        openssl("req -new -utf8 -config %1$s.cnf -key %1$s.key -out %1$s.csr".formatted(name));
        openssl(
                "x509 -req -in %1$s.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -out %1$s.pem"
                        .formatted(name));
    }

    void openssl(String arguments) throws IOException, InterruptedException {
        Tool.OPENSSL.does(folder, arguments.split(" "));
    }
}
