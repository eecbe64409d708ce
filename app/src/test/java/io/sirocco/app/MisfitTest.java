// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a file says in good form, and cannot be used, is told with its place, by check and serve.
 */
class MisfitTest {
    @TempDir Path folder;

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private String refused(String toml) throws Exception {
        Path file = write("sirocco.toml", toml);
        var byServe =
                assertThrows(InvalidConfiguration.class, () -> Serving.open(Sources.file(file)));
        Configuration configuration = Configuration.load(file, Overrides.NONE);
        var byCheck =
                assertThrows(InvalidConfiguration.class, () -> Assembly.verify(configuration));
        assertEquals(byServe.getMessage(), byCheck.getMessage());
        return byServe.getMessage();
    }

    @Test
    void aCertificateThatIsNone() throws Exception {
        write("chain.pem", "no certificate");
        write("key.pem", "no key");
        String said =
                refused(
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        tls = true

                        [[tls.certificate]]
                        chain = "chain.pem"
                        key = "key.pem"
                        """);
        assertTrue(said.startsWith(folder + "/sirocco.toml:5:7: error: cannot use "), said);
        assertTrue(said.contains("chain.pem: it has no certificate"), said);
    }

    @Test
    void aPasswordThatIsNotHashed() throws Exception {
        write("users", "# who may\njoe:secret\n");
        String said =
                refused(
                        """
                        [[listen]]
                        address = "127.0.0.1:0"

                        [[site]]
                        root = "."

                        [[site.route]]
                        path = "/a/*"
                        basic-auth = { users-file = "users" }
                        """);
        assertTrue(said.startsWith(folder + "/sirocco.toml:7:8: error: "), said);
        assertTrue(said.contains("users:2: the password of \"joe\" is not hashed"), said);
        assertTrue(said.contains("htpasswd -B"), said);
    }
}
