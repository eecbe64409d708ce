// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.LuaSettings;
import io.sirocco.home.lua.ReportForm;
import io.sirocco.net.TransportKind;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Configuration of a {@link Clu}: set it in the lambda given to {@link Clu#start}. Changes after
 * the lambda has returned have no effect. Used by one thread.
 */
public final class CluSettings {
    Path directory = Path.of("runtime");
    Inet4Address address = (Inet4Address) InetAddress.ofLiteral("127.0.0.1");
    int port = CluClient.PORT;
    int remotePort = CluClient.PORT;
    Duration remoteTimeout = RemoteClu.TIMEOUT;
    int tftpPort = 69;
    boolean broadcasts = true;
    boolean fortified;
    boolean fortifiedTftp;
    ReportForm reports = ReportForm.PLAIN;
    TransportKind transport = TransportKind.AUTO;
    String version = "0";
    Consumer<LuaSettings> scripts = settings -> {};

    CluSettings() {}

    /** Sets the folder of keys, scripts and stored values, which is created; {@code runtime}. */
    public CluSettings directory(Path directory) {
        this.directory = directory;
        return this;
    }

    /** Sets the address to serve, which names the controller to others; 127.0.0.1 by default. */
    public CluSettings address(Inet4Address address) {
        this.address = address;
        return this;
    }

    /** Sets the UDP port, 1234 by default; 0 lets the system choose. */
    public CluSettings port(int port) {
        this.port = port;
        return this;
    }

    /** Sets the UDP port of the other controllers of the project, 1234 by default. */
    public CluSettings remotePort(int port) {
        this.remotePort = port;
        return this;
    }

    /** Sets the port of TFTP, 69 by default; 0 lets the system choose. */
    public CluSettings tftpPort(int port) {
        this.tftpPort = port;
        return this;
    }

    /**
     * Sets whether it receives broadcasts, by which it is discovered; true by default. They need a
     * socket of their own on all addresses of the machine.
     */
    public CluSettings broadcasts(boolean broadcasts) {
        this.broadcasts = broadcasts;
        return this;
    }

    /**
     * Sets whether it accepts nothing but requests under its project key, once it has one, and
     * sends no response to others; false by default. It accepts no other project key either: Object
     * Manager cannot adopt a fortified controller.
     */
    public CluSettings fortified(boolean fortified) {
        this.fortified = fortified;
        return this;
    }

    /**
     * Sets whether a fortified controller serves files by TFTP; false by default. TFTP has no keys:
     * with a recorded request and a forged address a stranger can write the files of the scripts.
     */
    public CluSettings fortifiedTftp(boolean served) {
        this.fortifiedTftp = served;
        return this;
    }

    /** Sets the form of reports to registered clients; {@link ReportForm#PLAIN} by default. */
    public CluSettings reports(ReportForm reports) {
        this.reports = reports;
        return this;
    }

    /** Sets how it talks to the kernel. */
    public CluSettings transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    /** Sets the version that it reports. */
    public CluSettings version(String version) {
        this.version = version;
        return this;
    }

    /** Sets the limits of scripts. */
    public CluSettings scripts(Consumer<LuaSettings> scripts) {
        this.scripts = scripts;
        return this;
    }
}
