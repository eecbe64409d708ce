// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.http.client.HttpClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.luaj.vm2.LuaValue;

/**
 * Creates the objects of one controller by the number of their class. It outlives a reset: the
 * stored variables and the HTTP client are those of the controller. {@link #close} on any thread;
 * everything else on the thread of the scripts.
 */
public final class StandardObjects implements AutoCloseable {
    private static final int CLU = 0;
    private static final int TIMER = 6;
    private static final int CALENDAR = 15;
    private static final int SCHEDULER = 16;
    private static final int SUNRISE_SUNSET_CALENDAR = 39;
    private static final int PRESENCE_SENSOR = 40;
    private static final int EVENT_SCHEDULER = 43;
    private static final int STORAGE = 44;
    private static final int HTTP_LISTENER = 120;
    private static final int HTTP_REQUEST = 121;
    private static final int MQTT_TOPIC = 999;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(4);

    private final Controller controller;
    private final StorageFile file;
    private final String userAgent;
    private HttpClient client; // null until it is needed; guarded by this
    private boolean closed;
    private LuaValue globals = LuaValue.NIL; // those of the present state
    private Storage.Shared storage;
    private HttpPorts ports = new HttpPorts();

    /**
     * Creates the factory of a controller.
     *
     * @param runtime the folder of the controller
     * @param version of the product, for {@code User-Agent}
     */
    public StandardObjects(Controller controller, Path runtime, String version) {
        this.controller = controller;
        this.file = new StorageFile(runtime, controller::log);
        this.userAgent = "Sirocco/" + version;
    }

    /**
     * Creates an object. The first one of a state defines the global variable {@code null}, which
     * stands for null in JSON.
     *
     * @param type the number of its class
     * @return empty for a class that is not known here
     */
    public Optional<HomeObject> create(int type, String name, ObjectContext context) {
        if (context.globals() != globals) {
            globals = context.globals();
            storage = new Storage.Shared(file);
            ports = new HttpPorts();
            globals.set("null", LuaJson.NULL);
        }
        Storage.Shared shared = storage;
        return Optional.ofNullable(
                switch (type) {
                    case CLU ->
                            new CluObject(name, context, controller, () -> shared.restore(context));
                    case TIMER -> new Timer(name, context);
                    case CALENDAR -> new Calendar(name, context);
                    case SCHEDULER -> new Scheduler(name, context);
                    case SUNRISE_SUNSET_CALENDAR -> new SunriseSunsetCalendar(name, context);
                    case PRESENCE_SENSOR -> new PresenceSensor(name, context);
                    case EVENT_SCHEDULER -> new EventScheduler(name, context);
                    case STORAGE -> new Storage(name, context, shared);
                    case HTTP_LISTENER -> new HttpListener(name, context, ports);
                    case HTTP_REQUEST -> new HttpRequest(name, context, this::client);
                    case MQTT_TOPIC -> new MqttTopic(name, context);
                    default -> null;
                });
    }

    private synchronized HttpClient client() {
        if (closed) {
            throw new IllegalStateException("the controller has ended");
        }
        if (client == null) {
            try {
                client =
                        HttpClient.create(
                                settings ->
                                        settings.loops(1)
                                                .connectTimeout(CONNECT_TIMEOUT)
                                                .maxBodyBytes(HttpBody.MAX_BYTES)
                                                .header("User-Agent", userAgent));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return client;
    }

    /** Waits until stored variables are written, and closes the HTTP client. */
    @Override
    public void close() {
        file.flush();
        HttpClient open;
        synchronized (this) {
            closed = true;
            open = client;
            client = null;
        }
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }
}
