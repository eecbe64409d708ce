// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The options of the JVM that event loops need, as this JVM was started. Without {@code
 * --add-opens=java.base/java.lang} the JDK's scheduler runs virtual threads; without {@code
 * --enable-native-access} the JDK warns of the first native call, which io_uring needs, or refuses
 * it where {@code --illegal-native-access=deny} is set. Both name the module that contains this
 * class: {@code io.sirocco.net} on the module path, {@code ALL-UNNAMED} on the class path.
 * Immutable.
 *
 * @param module as the options name it
 * @param opened whether {@code java.lang} is open to it
 * @param nativeAccess whether it may make native calls, or needs none on this system
 */
record JvmOptions(String module, boolean opened, boolean nativeAccess) {
    static final String CLASS_PATH = "ALL-UNNAMED";

    private static final AtomicBoolean REPORTED = new AtomicBoolean();

    static JvmOptions ofThisJvm() {
        Module own = JvmOptions.class.getModule();
        return new JvmOptions(
                own.isNamed() ? own.getName() : CLASS_PATH,
                Object.class.getModule().isOpen("java.lang", own),
                own.isNativeAccessEnabled() || !System.getProperty("os.name").equals("Linux"));
    }

    /**
     * Logs what is missing, once in a JVM.
     *
     * @param carries whether event loops carry virtual threads
     */
    void report(LazyLogger log, boolean carries) {
        String advice = advice();
        if ((carries && advice.isEmpty()) || REPORTED.getAndSet(true)) {
            return;
        }
        if (advice.isEmpty()) {
            log.get()
                    .log(
                            Level.INFO,
                            "virtual threads run on the JDK's scheduler, since event loops cannot carry"
                                    + " them on JDK "
                                    + Runtime.version().feature());
        } else {
            log.get().log(Level.WARNING, advice);
        }
    }

    /** Returns the options to add, and what happens without them; empty when none is missing. */
    String advice() {
        if (opened && nativeAccess) {
            return "";
        }
        String opens = "--add-opens=java.base/java.lang=" + module;
        String calls = "--enable-native-access=" + module;
        String options = opened ? calls : nativeAccess ? opens : opens + " " + calls;
        String manifest =
                opened
                        ? "Enable-Native-Access: ALL-UNNAMED"
                        : nativeAccess
                                ? "Add-Opens: java.base/java.lang"
                                : "Add-Opens: java.base/java.lang and Enable-Native-Access:"
                                        + " ALL-UNNAMED";
        return "start the JVM with "
                + options
                + (module.equals(CLASS_PATH)
                        ? " (for java -jar, the manifest can have " + manifest + ")"
                        : "")
                + (opened
                        ? "; without it the JDK warns of native calls, which io_uring needs"
                        : "; until then virtual threads run on the JDK's scheduler, which costs more"
                                + " for each request");
    }
}
