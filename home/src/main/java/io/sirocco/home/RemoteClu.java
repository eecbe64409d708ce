// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Another controller of the project, class 1.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>methods</td><td>0 execute(script): the value of the script there, or nil if the other
 *     controller does not respond within 9 s; other tasks run meanwhile. A number in the text of the
 *     value becomes a number, a table a table, everything else a string</td></tr>
 * </table>
 *
 * <p>A call that comes from another controller, and calls one in turn, may be part of a chain
 * without an end. Up to four of them wait at once; further ones are errors, which end the chain.
 *
 * <p>Used by one thread, that of the scripts.
 */
final class RemoteClu extends HomeObject {
    /** How long a script waits for another controller. */
    static final Duration TIMEOUT = Duration.ofSeconds(9);

    private static final int EXECUTE = 0;

    /** Half of the tasks that may wait at once. */
    private static final int MAX_FORWARDED = 4;

    private final Inet4Address address;
    private final RemoteClients clients;
    private final Duration timeout;
    private final AtomicInteger forwarded; // calls that wait, of all objects

    RemoteClu(
            String name,
            ObjectContext context,
            Inet4Address address,
            RemoteClients clients,
            Duration timeout) {
        super(name, context);
        this.address = address;
        this.clients = clients;
        this.timeout = timeout;
        this.forwarded = clients.forwarded();
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        if (method != EXECUTE) {
            return super.execute(method, arguments);
        }
        if (!arguments.isstring(1)) {
            throw new LuaError(name() + ":execute(0, script) needs a script, which is a string");
        }
        String script = arguments.tojstring(1);
        boolean forwards =
                context()
                        .scripts()
                        .caller()
                        .map(InetSocketAddress::getAddress)
                        .filter(clients::isController)
                        .isPresent();
        if (!forwards) {
            return execute(script);
        }
        if (forwarded.get() >= MAX_FORWARDED) {
            throw new LuaError(
                    name()
                            + ": "
                            + MAX_FORWARDED
                            + " calls of other controllers wait for controllers already: do they"
                            + " call each other?");
        }
        forwarded.incrementAndGet();
        try {
            return execute(script);
        } finally {
            forwarded.decrementAndGet();
        }
    }

    private Varargs execute(String script) {
        CompletableFuture<String> value;
        try {
            value = clients.client(address).execute(script);
        } catch (IOException e) {
            throw new LuaError(name() + ": " + e.getMessage());
        }
        if (!context().scripts().await(value, timeout) || value.isCompletedExceptionally()) {
            context().scripts().warn(name() + ": " + reason(value));
            value.cancel(false);
            return LuaValue.NIL;
        }
        return RemoteValue.parse(value.join());
    }

    private String reason(CompletableFuture<String> value) {
        if (value.isCompletedExceptionally()
                && !(value.exceptionNow() instanceof TimeoutException)) {
            return value.exceptionNow().getMessage();
        }
        return "no response from "
                + address.getHostAddress()
                + "; check that the controller runs there, and that its project key is that of this"
                + " one";
    }
}
