// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A certificate authority in a folder of a test: {@code authority.pem}, and what it has signed.
 * Used by one thread.
 */
public record Authority(Path folder) {

    /** Made by openssl; the test is skipped where there is none. */
    public static Authority in(Path folder) throws IOException, InterruptedException {
        var authority = new Authority(folder);
        authority.key("authority");
        authority.openssl(
                "req -x509 -new -key authority.key -out authority.pem -days 30 -subj /CN=authority");
        return authority;
    }

    /** {@code NAME.pem} and {@code NAME.key}, for that name and for localhost. */
    public void signs(String name) throws IOException, InterruptedException {
        key(name);
        Files.writeString(
                folder.resolve(name + ".ext"),
                "subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\n".formatted(name));
        openssl("req -new -key %1$s.key -out %1$s.csr -subj /CN=%1$s".formatted(name));
        openssl(
                "x509 -req -in %1$s.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -extfile %1$s.ext -out %1$s.pem"
                        .formatted(name));
    }

    /**
     * The same for a subject of several attributes, in which openssl reads escapes such as {@code
     * \\n}.
     */
    public void signsSubject(String name, String... attributes)
            throws IOException, InterruptedException {
        key(name);
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

    private void key(String name) throws IOException, InterruptedException {
        openssl(
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out %s.key"
                        .formatted(name));
    }

    void openssl(String arguments) throws IOException, InterruptedException {
        Tool.OPENSSL.does(folder, arguments.split(" "));
    }
}
