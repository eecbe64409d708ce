// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.ObjectFactory;
import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import io.sirocco.home.object.StandardObjects;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** Creates the objects of a controller. Used by one thread, that of the scripts. */
final class CluObjects implements ObjectFactory {
    private static final int CLU = 0;
    private static final int REMOTE_CLU = 1;

    private final CluSettings settings;
    private final CluServices services;
    private final StandardObjects objects;
    private final RemoteClients clients;
    private volatile Optional<ObjectList> list = Optional.empty(); // of the present state

    CluObjects(
            CluSettings settings,
            CluServices services,
            StandardObjects objects,
            RemoteClients clients) {
        this.settings = settings;
        this.services = services;
        this.objects = objects;
        this.clients = clients;
    }

    /** Returns the objects of the scripts. Any thread. */
    CompletableFuture<List<ObjectSnapshot>> snapshots() {
        return list.map(ObjectList::snapshots)
                .orElseGet(() -> CompletableFuture.completedFuture(List.of()));
    }

    /** Called when the scripts have ended for good. Any thread. */
    void end() {
        list.ifPresent(ObjectList::end);
    }

    @Override
    public ObjectContext context(ScriptThread scripts, LuaValue globals) {
        services.begin();
        list.ifPresent(ObjectList::end);
        list = Optional.of(new ObjectList(scripts));
        return new ObjectContext(
                scripts,
                globals,
                settings.directory,
                settings.address,
                services::zoneId,
                services.mqtt());
    }

    @Override
    public Optional<HomeObject> create(
            int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
        HomeObject object =
                known(type, gate, name, arguments, context)
                        .orElseGet(() -> new StoredObject(name, context, services));
        list.filter(all -> all.isOf(context.scripts()))
                .ifPresent(all -> all.add(type, gate, object));
        return Optional.of(object);
    }

    private Optional<HomeObject> known(
            int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
        if (type == REMOTE_CLU && !gate) {
            Inet4Address address = address(name, arguments.arg1());
            services.declare(name, address);
            return Optional.of(
                    new RemoteClu(name, context, address, clients, settings.remoteTimeout));
        }
        if (type == CLU) {
            services.named(name);
        }
        return objects.create(type, name, context);
    }

    /** Returns the address that a number stands for: 0x0A489001 is 10.72.144.1. */
    private static Inet4Address address(String name, LuaValue number) {
        double value = number.isnumber() ? number.todouble() : -1;
        if (value < 0 || value > 0xffff_ffffL || value != Math.rint(value)) {
            throw new LuaError(
                    "OBJECT:new(1, address, \"%s\"): the address must be a number such as 0x0A489001"
                            .formatted(name));
        }
        try {
            byte[] bytes = ByteBuffer.allocate(4).putInt((int) (long) value).array();
            return (Inet4Address) InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    /** An object of a class that is not known: a device that scripts simulate. */
    private static final class StoredObject extends HomeObject {
        private final CluServices services;

        StoredObject(String name, ObjectContext context, CluServices services) {
            super(name, context);
            this.services = services;
        }

        @Override
        public void set(int index, LuaValue value) {
            boolean same = value.raweq(get(index));
            super.set(index, value);
            if (!same) {
                services.changed();
            }
        }
    }
}
