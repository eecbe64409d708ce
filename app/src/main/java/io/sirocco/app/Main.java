// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Nearest;
import io.sirocco.bench.command.Bench;
import io.sirocco.net.Loops;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program {@code sirocco}. Its exit status is 0 if a command succeeds, 1 if it fails, and 2 if
 * the command line is wrong.
 */
public final class Main implements Runnable {

    /** A regular expression: how messages of picocli about the value of an option begin. */
    private static final String INVALID_VALUE =
            "^Invalid value for option '([^' ]*)'(?: \\([^)]*\\))?";

    /** The commands that must start quickly. */
    private static final List<String> SERVERS = List.of("serve", "live", "proxy");

    private static final SequencedMap<String, Supplier<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("serve", Serve::command);
        COMMANDS.put("live", ServeLive::command);
        COMMANDS.put("proxy", ServeProxy::command);
        COMMANDS.put("home", HomeLibraries::command);
        COMMANDS.put("check", () -> Check.class);
        COMMANDS.put("bench", () -> Bench.class);
        COMMANDS.put("version", () -> Version.class);
        COMMANDS.put("help", () -> HelpCommand.class);
    }

    /**
     * The factory of picocli, loaded on demand, because loading it searches every jar for Groovy.
     */
    static final CommandLine.IFactory FACTORY =
            new CommandLine.IFactory() {
                @Override
                public <K> K create(Class<K> type) throws Exception {
                    return CommandLine.defaultFactory().create(type);
                }
            };

    private final OptionSpec version =
            OptionSpec.builder("--version").description("Print the same as 'version'.").build();

    private final OptionSpec help = helpOption();

    private final CommandSpec spec =
            CommandSpec.wrapWithoutInspection(this, FACTORY)
                    .name("sirocco")
                    .addOption(version)
                    .addOption(help);

    private Main() {
        spec.usageMessage()
                .description("A network server for the JVM.")
                .synopsisSubcommandLabel("COMMAND");
    }

    public static void main(String[] args) {
        LogDefaults.install();
        skipReflectiveConverters();
        if (args.length > 0 && SERVERS.contains(args[0])) { // while it reads options
            prepare("calls", Loops::prepare);
            prepare("log", Logging::prepare);
        }
        String[] words = withHelpLast(args);
        System.exit(execute(words));
    }

    private static int execute(String... words) {
        CommandLine line;
        try {
            line = commandLine(words);
        } catch (IllegalArgumentException e) { // libraries are missing
            System.err.println("sirocco: " + e.getMessage());
            return 1;
        }
        return line.execute(words);
    }

    private static void prepare(String what, Runnable work) {
        Thread.ofPlatform().daemon().name("sirocco-prepare-" + what).start(work);
    }

    /**
     * Stops picocli from searching every jar for types of java.sql, and from looking up methods of
     * others that are not used, or that {@link #commandLine} gives a converter.
     */
    private static void skipReflectiveConverters() {
        System.setProperty("picocli.converters.excludes", "java\\.(sql|time|nio)\\..*");
    }

    /**
     * Returns a command line that knows only the command that {@code args} begin with, or all of
     * them if there is no such command or it is help. Reading the annotations of all commands would
     * take longer than starting the server.
     */
    static CommandLine commandLine(String... args) {
        var line = new CommandLine(new Main().spec, FACTORY);
        String asked = args.length == 0 ? "" : args[0];
        boolean alone = COMMANDS.containsKey(asked) && !asked.equals("help");
        COMMANDS.forEach(
                (name, command) -> {
                    if (!alone || name.equals(asked)) line.addSubcommand(name, command.get());
                });
        line.setInterpolateVariables(!SERVERS.contains(asked)); // their descriptions have none
        line.getSubcommands().values().forEach(Main::addHelp);
        line.registerConverter(Integer.class, Main::wholeNumber);
        line.registerConverter(int.class, Main::wholeNumber);
        line.registerConverter(Path.class, Path::of);
        line.setUsageHelpAutoWidth(true);
        line.setExpandAtFiles(false); // the command interprets a word that begins with @
        line.setParameterExceptionHandler(Main::explain);
        line.setExecutionExceptionHandler(Main::report);
        return line;
    }

    private static int wholeNumber(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + word + "' is not a whole number");
        }
    }

    /**
     * Turns {@code help bench http} into {@code bench http --help}, which explains the last word.
     */
    static String[] withHelpLast(String... args) {
        if (args.length < 2 || !args[0].equals("help")) return args;
        return Stream.concat(Stream.of(args).skip(1), Stream.of("--help")).toArray(String[]::new);
    }

    private static OptionSpec helpOption() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Print this help.")
                .build();
    }

    /** Adds --help to every command and subcommand. */
    private static void addHelp(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        if (spec.findOption("--help") == null) spec.addOption(helpOption());
        command.getSubcommands().values().forEach(Main::addHelp);
    }

    /** Prints the commands if none is given. */
    @Override
    public void run() {
        if (version.getValue() != null) {
            spec.commandLine().getOut().print(Version.text());
            spec.commandLine().getOut().flush();
        } else {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    /**
     * Explains a wrong command line in two or three lines, rather than printing the whole usage.
     */
    private static int explain(ParameterException wrong, String[] args) {
        CommandLine line = wrong.getCommandLine();
        PrintWriter err = line.getErr();
        String name = line.getCommandSpec().qualifiedName();
        if (wrong instanceof UnmatchedArgumentException unknown) {
            boolean option = unknown.isUnknownOption();
            String word = unknown.getUnmatched().getFirst();
            if (option) word = word.replaceFirst("=.*", "");
            boolean command = !option && (line.getParent() == null || hasSubcommands(line));
            String kind =
                    option ? "unknown option" : command ? "unknown command" : "unexpected argument";
            err.println(name + ": " + kind + " '" + word + "'");
            String hint = "";
            if (option) {
                hint = Nearest.hint(word, line.getCommandSpec().optionsMap().keySet());
            } else if (command) {
                hint = Nearest.hint(word, subcommands(line));
            }
            if (!hint.isEmpty()) err.println(hint);
        } else {
            err.println(name + ": " + wrong.getMessage().replaceFirst(INVALID_VALUE, "$1"));
        }
        err.println("See '" + name + " --help'.");
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static boolean hasSubcommands(CommandLine line) {
        return line.getParent() == null || !line.getSubcommands().isEmpty();
    }

    private static Collection<String> subcommands(CommandLine line) {
        return line.getParent() == null ? COMMANDS.keySet() : line.getSubcommands().keySet();
    }

    private static int report(
            Exception failure, CommandLine line, CommandLine.ParseResult arguments) {
        String why = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        line.getErr().println(line.getCommandSpec().qualifiedName() + ": " + why);
        return line.getCommandSpec().exitCodeOnExecutionException();
    }
}
