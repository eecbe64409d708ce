// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * The reason why an option cannot have its value. {@link Table} catches it while the file is read,
 * and reports it with the name of the option; the suppressed exceptions are those of further items
 * of a list. An error that shows only when the option is used, such as a certificate without its
 * key, carries the path of the option instead.
 */
public final class ConfigError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String separator;
    private final String hint;
    private final transient SourcePosition position; // of a part of the value, or null
    private final transient Object[] path;

    /** Creates an error whose message continues a sentence that begins with the option. */
    ConfigError(String message, String hint) {
        this(message, " ", hint, null);
    }

    /**
     * Returns an error whose message is a sentence of its own, put after the option and a colon.
     */
    static ConfigError sentence(String message, String hint) {
        return new ConfigError(message, ": ", hint, null);
    }

    private ConfigError(String message, String separator, String hint, SourcePosition position) {
        this(message, separator, hint, position, new Object[0]);
    }

    private ConfigError(
            String message, String separator, String hint, SourcePosition position, Object[] path) {
        super(message, null, true, false);
        this.separator = separator;
        this.hint = hint;
        this.position = position;
        this.path = path;
    }

    /** Returns the same with a hint about what to do. */
    public ConfigError withHint(String hint) {
        return new ConfigError(getMessage(), separator, hint, position, path);
    }

    /**
     * Creates an error with the message of its cause, for an option that has been read.
     *
     * @param path the path of the option, as {@link Configuration#where} takes it
     */
    public ConfigError(RuntimeException cause, Object... path) {
        super(cause.getMessage(), cause);
        this.separator = ": ";
        this.hint = "";
        this.position = null;
        this.path = path.clone();
    }

    /** Returns the same error at a part of the value, such as an item of a list. */
    ConfigError at(Node part) {
        return position != null
                ? this
                : new ConfigError(getMessage(), separator, hint, part.position());
    }

    /** Returns the message with the name of the option. */
    String about(String key) {
        return Escapes.quoted(key) + separator + getMessage();
    }

    String hint() {
        return hint;
    }

    SourcePosition positionOr(SourcePosition whole) {
        return position == null ? whole : position;
    }

    /** Returns the problem of an option that has been read. */
    public Problem problem(Configuration configuration) {
        return configuration.problem(getMessage(), hint, path);
    }

    /** Returns the same as a warning. */
    public Problem warning(Configuration configuration) {
        return Problem.at(configuration.where(path), Problem.Severity.WARNING, getMessage(), hint);
    }

    /** Returns the same as an exception. */
    public InvalidConfiguration invalid(Configuration configuration) {
        return configuration.invalid(getMessage(), hint, path);
    }
}
