// SPDX-License-Identifier: Apache-2.0
package examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Projects outside of the checkout: {@code ./sirocco install} fills a repository of this test, from
 * a copy of the sources, and what README.md, docs/http.md and examples/embedded show is built from
 * it with Maven and run.
 */
@Tag("peers")
@Timeout(300)
class InYourProjectTest {
    private static final String JAVA_HOME = System.getProperty("java.home");
    private static final String JAVA = Path.of(JAVA_HOME, "bin", "java").toString();
    private static final Path SAMPLE = Snippets.TOP.resolve("examples/embedded");
    private static final Path RING_PAGE = Snippets.TOP.resolve("docs/ring.md");
    private static final Path HTTP_PAGE = Snippets.TOP.resolve("docs/http.md");
    private static final List<String> MODULES =
            List.of("net", "openssl", "http", "web", "live", "script", "ring", "home");

    /** Those that are in Clojure alone, which Javadoc has nothing to say of. */
    private static final List<String> CLOJURE = List.of("ring-conformance", "http-kit");

    /** Kept until the next {@code clean}: the plugins in it need not be fetched again. */
    private static final Path REPOSITORY = Path.of("target/installed").toAbsolutePath();

    /** For JVMs that end before what they have compiled with care would pay. */
    private static final List<String> SHORT_LIVED =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final String JAVADOC = "-DadditionalJOption=-J" + SHORT_LIVED.getFirst();
    private static final String ADVICE = "start the JVM with ";

    @TempDir static Path folder;

    private static String installed;
    private static Path sample;
    private static Said built;

    /** How a command has ended. */
    private record Said(int status, String text) {
        Said succeeds() {
            assertEquals(0, status, text);
            return this;
        }
    }

    @BeforeAll
    static void install() throws Exception {
        Files.writeString(folder.resolve("settings.xml"), settings());
        deleteAll(REPOSITORY.resolve("io/sirocco"));
        Path checkout = folder.resolve("check out"); // with a space, as folders of users have
        copySources(checkout);
        installed = run(checkout, withMaven("./sirocco", "install", JAVADOC)).succeeds().text();
        sample = folder.resolve("sample");
        copyAll(SAMPLE.resolve("pom.xml"), sample.resolve("pom.xml"));
        copyAll(SAMPLE.resolve("src"), sample.resolve("src"));
        built = run(sample, withMaven("mvn", "-B", "-ntp", "package")).succeeds();
    }

    @Test
    void itPrintsTheCoordinatesOfEachModuleAndOfTheBom() {
        String version = version();
        var expected = new ArrayList<String>();
        for (List<String> names : List.of(MODULES, CLOJURE, List.of("bom"))) {
            names.forEach(name -> expected.add("  io.sirocco:sirocco-" + name + ":" + version));
        }
        assertEquals(
                new TreeSet<>(expected),
                new TreeSet<>(installed.lines().filter(line -> line.startsWith("  io.")).toList()));
        assertTrue(installed.contains("Installed into " + REPOSITORY + ":"), installed);
    }

    @Test
    void eachModuleHasItsSourcesAndItsJavadoc() {
        MODULES.forEach(
                module -> assertHas(module, ".jar", "-sources.jar", "-javadoc.jar", ".pom"));
        CLOJURE.forEach(module -> assertHas(module, ".jar", "-sources.jar", ".pom"));
    }

    private static void assertHas(String module, String... kinds) {
        String name = "sirocco-" + module;
        Path there = REPOSITORY.resolve("io/sirocco").resolve(name).resolve(version());
        for (String kind : kinds) {
            Path file = there.resolve(name + "-" + version() + kind);
            assertTrue(Files.isRegularFile(file), file.toString());
        }
    }

    @Test
    void theTestsOfTheSampleHaveRun() {
        assertTrue(built.text().contains("Tests run: 2, Failures: 0, Errors: 0"), built.text());
    }

    @Test
    void theSampleRunsAsAJar() throws Exception {
        assertEquals("", errorsOfSample("-jar", "target/embedded.jar"));
    }

    @Test
    void theSampleRunsOnTheClassPath() throws Exception {
        assertEquals("", errorsOfSample(onClassPath(options("ALL-UNNAMED"))));
    }

    @Test
    void theSampleRunsOnTheModulePath() throws Exception {
        assertEquals("", errorsOfSample(onModulePath(options("io.sirocco.net"))));
    }

    @Test
    void onTheClassPathTheLogNamesTheOptionsThatAreMissing() throws Exception {
        assertEquals(
                "--add-opens=java.base/java.lang=ALL-UNNAMED --enable-native-access=ALL-UNNAMED",
                adviceIn(errorsOfSample(onClassPath())));
    }

    @Test
    void onTheModulePathTheLogNamesTheOptionsThatAreMissing() throws Exception {
        assertEquals(
                "--add-opens=java.base/java.lang=io.sirocco.net"
                        + " --enable-native-access=io.sirocco.net",
                adviceIn(errorsOfSample(onModulePath())));
    }

    /** As a later JDK will do without being told. */
    @Test
    void aJvmThatRefusesNativeCallsServesAllTheSame() throws Exception {
        String errors = errorsOfSample(onClassPath("--illegal-native-access=deny"));
        assertTrue(adviceIn(errors).endsWith("--enable-native-access=ALL-UNNAMED"), errors);
        assertFalse(errors.contains("SEVERE"), errors);
    }

    @Test
    void anOlderJdkEndsTheBuildInOneSentence() throws Exception {
        for (Path project : List.of(sample, folder.resolve("check out"))) {
            Said said = run(project, withMaven("mvn", "-B", "validate", "-Djava.version=17.0.3"));
            assertNotEquals(0, said.status());
            Pattern sentence = Pattern.compile("needs JDK 25 or newer, and Maven runs on 17.0.3:");
            assertEquals(1, sentence.matcher(said.text()).results().count(), said.text());
        }
    }

    @Test
    void theProjectOfThePageBuildsAndRuns() throws Exception {
        Path project = folder.resolve("hello");
        String page = Snippets.text(HTTP_PAGE);
        write(project.resolve("pom.xml"), block(page, "```xml", "<project"));
        String program = block(page, "```java Hello.java", "package example;");
        assertTrue(program.contains("\"127.0.0.1\", 8080"), "it listens on another address");
        write(
                project.resolve("src/main/java/example/Hello.java"),
                program.replace("\"127.0.0.1\", 8080", "\"127.0.0.1\", 0"));
        String commands = block(page, "```sh", "mvn -q package dep");
        String maven = commands.lines().findFirst().orElseThrow();
        run(project, withMaven(maven.split(" "))).succeeds();
        String java = commands.substring(maven.length()).replace("\\\n", " ").strip();
        assertTrue(java.startsWith("java "), java);
        String[] arguments = java.substring(5).replace("'", "").split(" +");
        assertEquals("", errorsOf(project, "/", "It works.", arguments));
    }

    @Test
    void theProjectOfLeiningenRuns() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/lein")), "leiningen is not installed");
        Path project = clojureProject("leiningen");
        String file = block(Snippets.text(RING_PAGE), "```clojure", "(defproject hello");
        int end = file.lastIndexOf(')');
        String local = "\n  :local-repo \"" + REPOSITORY + "\")\n";
        write(project.resolve("project.clj"), file.substring(0, end) + local);
        String command = "lein -o with-profile -base run";
        assertTrue(Snippets.text(RING_PAGE).contains(command + " "), command);
        assertSaysHello(run(project, List.of(command.split(" "))));
    }

    /** The Clojure CLI computes its class paths with this library. */
    @Test
    void theProjectOfToolsDepsRuns() throws Exception {
        Path project = clojureProject("tools.deps");
        String file = block(Snippets.text(RING_PAGE), "```clojure", "{:deps {org.clojure/");
        int end = file.lastIndexOf('}');
        String local = "\n :mvn/local-repo \"" + REPOSITORY + "\"}\n";
        write(project.resolve("deps.edn"), file.substring(0, end) + local);
        write(project.resolve("tools/pom.xml"), TOOLS_DEPS);
        Path tools = project.resolve("tools");
        run(
                        tools,
                        withMaven(
                                "mvn",
                                "-B",
                                "-ntp",
                                "dependency:build-classpath",
                                "-Dmdep.outputFile=path"))
                .succeeds();
        String program =
                """
                (require '[clojure.tools.deps :as deps])
                (let [basis (deps/create-basis {:project "deps.edn" :user nil :aliases [:run]})]
                  (spit "path" (deps/join-classpath (:classpath-roots basis)))
                  (spit "options" (apply str (map #(str % "\\n") (get-in basis [:argmap :jvm-opts])))))
                """;
        run(project, clojure(List.of(), tools.resolve("path"), "-e", program)).succeeds();
        List<String> options = Files.readAllLines(project.resolve("options"));
        assertEquals(List.of(options("ALL-UNNAMED")), options);
        assertSaysHello(run(project, clojure(options, project.resolve("path"), "-m", "hello")));
    }

    private static final String TOOLS_DEPS =
            """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>example</groupId>
              <artifactId>tools</artifactId>
              <version>1</version>
              <dependencies>
                <dependency>
                  <groupId>org.clojure</groupId>
                  <artifactId>tools.deps</artifactId>
                  <version>0.24.1523</version>
                </dependency>
              </dependencies>
            </project>
            """;

    /** The program of the page, with a main function that asks it. */
    private static Path clojureProject(String name) throws IOException {
        Path project = folder.resolve(name);
        String pasted = block(Snippets.text(RING_PAGE), "```clojure", "(ns hello");
        write(
                project.resolve("src/hello.clj"),
                pasted.replace("8080", "0").replace("(defn -main", "(defn start")
                        + """

                        (defn -main []
                          (let [stop (start)]
                            (println (slurp (str "http://127.0.0.1:" (:local-port (meta stop)) "/you")))
                            (stop)
                            (shutdown-agents)))
                        """);
        forgetWhereFrom(REPOSITORY.resolve("org/clojure"));
        return project;
    }

    /** Offline, Leiningen takes only what came from the repositories that it knows. */
    private static void forgetWhereFrom(Path top) throws IOException {
        try (Stream<Path> all = Files.walk(top)) {
            for (Path each : all.filter(file -> file.endsWith("_remote.repositories")).toList()) {
                Files.delete(each);
            }
        }
    }

    private static List<String> clojure(List<String> options, Path path, String... arguments)
            throws IOException {
        var command = new ArrayList<>(List.of(JAVA));
        command.addAll(SHORT_LIVED);
        command.addAll(options);
        command.addAll(List.of("-cp", Files.readString(path).strip(), "clojure.main"));
        command.addAll(List.of(arguments));
        return command;
    }

    private static void assertSaysHello(Said said) {
        said.succeeds();
        assertTrue(said.text().lines().anyMatch("Hello, /you"::equals), said.text());
        assertFalse(said.text().contains("WARNING"), said.text());
    }

    /** Whoever follows a document gets what the sample does. */
    @Test
    void documentsShowWhatTheSampleHas() {
        String pom = condensed(Snippets.text(SAMPLE.resolve("pom.xml")));
        String readme = Snippets.text(Snippets.TOP.resolve("README.md"));
        String page = Snippets.text(HTTP_PAGE);
        String shown = condensed(block(readme, "```xml", "<dependencyManagement>"));
        String end = "</dependencies>"; // the sample has more of them
        assertTrue(shown.endsWith(end), shown);
        assertTrue(pom.contains(shown.substring(0, shown.length() - end.length())), shown);
        for (String start : List.of("<dependencyManagement>", "<manifestEntries>")) {
            assertTrue(pom.contains(condensed(block(page, "```xml", start))), start);
        }
        for (String text : List.of(readme, page, pom)) {
            assertTrue(text.contains(version()), "another version than " + version());
        }
        assertTrue(readme.contains("./sirocco install") && page.contains("./sirocco install"));
    }

    // ---- the sample

    private static String[] onClassPath(String... options) {
        String path = "target/embedded.jar" + File.pathSeparator + "target/lib/*";
        return Stream.concat(
                        Stream.of(options), Stream.of("-cp", path, "org.example.embedded.Main"))
                .toArray(String[]::new);
    }

    private static String[] onModulePath(String... options) {
        String path = "target/embedded.jar" + File.pathSeparator + "target/lib";
        String main = "embedded/org.example.embedded.Main";
        return Stream.concat(Stream.of(options), Stream.of("-p", path, "-m", main))
                .toArray(String[]::new);
    }

    private static String[] options(String module) {
        return new String[] {
            "--add-opens=java.base/java.lang=" + module, "--enable-native-access=" + module
        };
    }

    private static String errorsOfSample(String... arguments) throws Exception {
        String[] andPort =
                Stream.concat(Stream.of(arguments), Stream.of("0")).toArray(String[]::new);
        return errorsOf(sample, "/hello/there", "Hello, there", andPort);
    }

    /** Starts a server, has it respond, stops it; what it has printed as errors and warnings. */
    private static String errorsOf(Path project, String path, String expected, String... arguments)
            throws Exception {
        var command = new ArrayList<>(List.of(JAVA, "-Xmx128m"));
        command.addAll(SHORT_LIVED);
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile(folder, "errors", ".log");
        Process server =
                new ProcessBuilder(command)
                        .directory(project.toFile())
                        .redirectError(errors.toFile())
                        .start();
        try {
            String address = server.inputReader().readLine();
            assertTrue(address != null, () -> Snippets.text(errors));
            try (var response =
                    URI.create(address).resolve(path).toURL().openConnection().getInputStream()) {
                assertEquals(expected, new String(response.readAllBytes(), UTF_8));
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
        // What it is told once is not what went wrong: the transport, and that classes were loaded.
        return Snippets.text(errors)
                .lines()
                .filter(line -> line.contains("WARNING") || line.contains("SEVERE"))
                .reduce("", (all, line) -> all.isEmpty() ? line : all + "\n" + line);
    }

    /** The options that the one line of the log about them names. */
    private static String adviceIn(String errors) {
        List<String> lines = errors.lines().filter(line -> line.contains(ADVICE)).toList();
        assertEquals(1, lines.size(), errors);
        String rest = lines.getFirst();
        rest = rest.substring(rest.indexOf(ADVICE) + ADVICE.length());
        return rest.split(";| \\(")[0];
    }

    // ---- Maven

    /** The plugins of this machine come first, then those of the settings of its user. */
    private static String settings() {
        String local = System.getProperty("localRepository");
        Path used =
                local == null
                        ? Path.of(System.getProperty("user.home"), ".m2", "repository")
                        : Path.of(local);
        String repository =
                """
                <id>here</id><url>%s</url>
                <releases><checksumPolicy>ignore</checksumPolicy></releases>
                <snapshots><enabled>false</enabled></snapshots>
                """
                        .formatted(used.toUri());
        return """
        <settings>
          <profiles>
            <profile>
              <id>here</id>
              <repositories><repository>%1$s</repository></repositories>
              <pluginRepositories><pluginRepository>%1$s</pluginRepository></pluginRepositories>
            </profile>
          </profiles>
          <activeProfiles><activeProfile>here</activeProfile></activeProfiles>
        </settings>
        """
                .formatted(repository);
    }

    private static List<String> withMaven(String... command) {
        var all = new ArrayList<>(List.of(command));
        all.add("-gs");
        all.add(folder.resolve("settings.xml").toString());
        all.add("-Dmaven.repo.local=" + REPOSITORY);
        return all;
    }

    private static Said run(Path directory, List<String> command) throws Exception {
        var builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().put("JAVA_HOME", JAVA_HOME);
        builder.environment().put("JAVA_CMD", JAVA); // of Leiningen
        builder.environment().put("MAVEN_OPTS", String.join(" ", SHORT_LIVED));
        Process process = builder.start();
        try {
            String text = process.inputReader().readAllAsString();
            return new Said(process.waitFor(), text);
        } finally {
            process.destroyForcibly();
        }
    }

    /** As the parent has it. */
    private static String version() {
        var found =
                Pattern.compile("<version>(.*?)</version>")
                        .matcher(Snippets.text(Snippets.TOP.resolve("pom.xml")));
        assertTrue(found.find());
        return found.group(1);
    }

    // ---- files

    private static void copySources(Path checkout) throws IOException {
        copyAll(Snippets.TOP.resolve("sirocco"), checkout.resolve("sirocco"));
        copyAll(Snippets.TOP.resolve("pom.xml"), checkout.resolve("pom.xml"));
        try (Stream<Path> tops = Files.list(Snippets.TOP)) {
            for (Path top : tops.filter(each -> Files.exists(each.resolve("pom.xml"))).toList()) {
                Path copy = checkout.resolve(top.getFileName());
                copyAll(top.resolve("pom.xml"), copy.resolve("pom.xml"));
                if (MODULES.contains(top.getFileName().toString())) {
                    copyAll(top.resolve("src/main"), copy.resolve("src/main"));
                }
            }
        }
        for (String module : List.of("ring/conformance", "ring/http-kit")) {
            for (String part : List.of("pom.xml", "src/main")) {
                Path from = Snippets.TOP.resolve(module).resolve(part);
                copyAll(from, checkout.resolve(module).resolve(part));
            }
        }
    }

    private static void copyAll(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private static void deleteAll(Path top) throws IOException {
        if (Files.exists(top)) {
            try (Stream<Path> all = Files.walk(top)) {
                for (Path each : all.toList().reversed()) {
                    Files.delete(each);
                }
            }
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** The block of a document between such a fence and the next, which begins like this. */
    private static String block(String document, String fence, String start) {
        return Pattern.compile("(?ms)^" + fence + "\\R(.*?)^```")
                .matcher(document)
                .results()
                .map(found -> found.group(1))
                .filter(text -> text.startsWith(start))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + fence + " begins with " + start));
    }

    private static String condensed(String xml) {
        return xml.replaceAll("\\s", "");
    }
}
