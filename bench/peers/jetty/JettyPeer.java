// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.http.pathmap.PathSpec;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.PathMappingsHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty as a peer in the race: a port, a folder. */
final class JettyPeer {
    private JettyPeer() {}

    public static void main(String[] arguments) throws Exception {
        var server = new Server(new QueuedThreadPool(8));
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        var connector = new ServerConnector(server, 0, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[0]));
        connector.setAcceptQueueSize(4096);
        server.addConnector(connector);

        var files = new ResourceHandler();
        files.setBaseResource(ResourceFactory.of(server).newResource(Path.of(arguments[1])));
        files.setDirAllowed(false);
        files.setAcceptRanges(false);
        var paths = new OnSelector();
        paths.addMapping(PathSpec.from("/plaintext"), new Text("Hello, World!"));
        paths.addMapping(PathSpec.from("/virtual"), new Virtual(new Text("Hello, World!")));
        paths.addMapping(PathSpec.from("/echo"), new Text("Hello from the echo"));
        paths.addMapping(PathSpec.from("/three"), new Text("abc"));
        paths.addMapping(PathSpec.from("/files/*"), new ContextHandler(files, "/files"));
        server.setHandler(paths);
        server.start();
    }

    /** All that is mapped here may run on the thread that selects: nothing blocks on a client. */
    private static final class OnSelector extends PathMappingsHandler {
        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }
    }

    private static final class Text extends Handler.Abstract.NonBlocking {
        private static final HttpField TYPE =
                new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "text/plain");

        private final ByteBuffer body;
        private final HttpField length;

        Text(String text) {
            byte[] bytes = text.getBytes(US_ASCII);
            body = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            length = new PreEncodedHttpField(HttpHeader.CONTENT_LENGTH, bytes.length);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put(TYPE).put(length);
            response.write(true, body.slice(), callback);
            return true;
        }
    }

    /** Hands each request to a virtual thread of its own. */
    private static final class Virtual extends Handler.Wrapper {
        Virtual(Handler handler) {
            super(handler);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Thread.startVirtualThread(
                    () -> {
                        try {
                            super.handle(request, response, callback);
                        } catch (Exception e) {
                            callback.failed(e);
                        }
                    });
            return true;
        }
    }
}
