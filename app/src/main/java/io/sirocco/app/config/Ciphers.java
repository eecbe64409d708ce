// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Reads names of cipher suites of this JDK. Loaded only if a file has some. */
final class Ciphers {
    private Ciphers() {}

    static List<String> read(Node node) {
        if (!(node instanceof Node.Items(List<Node> items, _))) {
            throw new ConfigError("must be a list, not " + node.kind(), "");
        }
        List<String> known = known();
        var names = new ArrayList<String>();
        for (Node item : items) {
            String name = Values.text(item);
            if (!known.contains(name)) {
                throw new ConfigError(
                                "contains a cipher suite that this JDK does not support: \""
                                        + name
                                        + "\"",
                                Nearest.hint(name, known))
                        .at(item);
            }
            names.add(name);
        }
        return List.copyOf(names);
    }

    private static List<String> known() {
        try {
            return List.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }
}
