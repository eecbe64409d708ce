// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.US_ASCII;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;

/** Tomcat as a peer in the race: a port, a folder, a folder for its own files. */
final class TomcatPeer {
    private TomcatPeer() {}

    public static void main(String[] arguments) throws Exception {
        var protocol = new Http11NioProtocol();
        protocol.setMaxKeepAliveRequests(-1);
        protocol.setMaxThreads(8);
        protocol.setAcceptCount(4096);
        protocol.setUseKeepAliveResponseHeader(false);
        var connector = new Connector(protocol);
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[0]));

        var tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setConnector(connector);
        Context root = tomcat.addContext("", null);
        serve(root, "/plaintext", new Text("Hello, World!"));
        serve(root, "/echo", new Text("Hello from the echo"));
        serve(root, "/three", new Text("abc"));
        Context files =
                tomcat.addContext("/files", Path.of(arguments[1]).toAbsolutePath().toString());
        serve(files, "/", new DefaultServlet()).addInitParameter("useAcceptRanges", "false");
        Tomcat.addDefaultMimeTypeMappings(files);
        tomcat.start();
        tomcat.getServer().await();
    }

    private static Wrapper serve(Context context, String path, HttpServlet servlet) {
        Wrapper wrapper = Tomcat.addServlet(context, path, servlet);
        wrapper.addMapping(path);
        return wrapper;
    }

    private static final class Text extends HttpServlet {
        private static final long serialVersionUID = 1;

        private final byte[] body;

        Text(String text) {
            body = text.getBytes(US_ASCII);
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setContentType("text/plain");
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }
}
