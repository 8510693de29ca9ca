package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDK that {@code .mvn/jdk} chooses, among folders that look like JDKs. */
class JdkChoiceTest {
  @TempDir Path temporary;

  /** The root of the usual places, with a space in its path. */
  private Path root;

  @BeforeEach
  void makeRoot() throws IOException {
    root = Files.createDirectories(temporary.resolve("a disk"));
  }

  @Test
  void javaHomeComesFirst() throws Exception {
    Path home = jdk("home", "25.0.1");
    jdk("usr/lib/jvm/newer", "26");

    assertThat(choose(Map.of("JAVA_HOME", home.toString()))).isEqualTo(home.toString());
  }

  @Test
  void anOldOrMissingJavaHomeIsPassedOver() throws Exception {
    Path newer = jdk("usr/lib/jvm/temurin 25", "25.0.1");

    assertThat(choose(Map.of("JAVA_HOME", jdk("home", "17.0.15").toString())))
        .isEqualTo(newer.toString());
    assertThat(choose(Map.of("JAVA_HOME", root.resolve("gone").toString())))
        .isEqualTo(newer.toString());
  }

  @Test
  void theJavaOfThePathComesBeforeTheUsualPlaces() throws Exception {
    Path onPath = jdk("tools/jdk", "25");
    jdk("usr/lib/jvm/newer", "26.0.1");

    assertThat(choose(Map.of("PATH", path(onPath)))).isEqualTo(onPath.toRealPath().toString());
  }

  @Test
  void aLauncherOnThePathIsAskedForItsHome() throws Exception {
    Path home = jdk("library/jdk", "25.0.2");
    Path shims = root.resolve("shims");
    program(
        Files.createDirectories(shims.resolve("bin")).resolve("java"),
        "echo '    java.home = " + home + "' >&2");

    assertThat(choose(Map.of("PATH", path(shims)))).isEqualTo(home.toString());
  }

  @Test
  void theNewestOfTheUsualPlacesIsTaken() throws Exception {
    jdk("usr/lib/jvm/java-17", "17.0.15");
    jdk("usr/lib/jvm/java-8", "1.8.0_392");
    jdk("usr/lib/jvm/java-25", "25.0.9");
    jdk("opt/jdk-25", "25.0.10");
    Path sdkman = jdk("sdkman/candidates/java/26-open", "26-ea");
    jdk("asdf/installs/java/temurin-25", "25.0.11");

    assertThat(choose(Map.of("PATH", path(jdk("old", "17"))))).isEqualTo(sdkman.toString());
  }

  @Test
  void macOsKeepsJdksInBundles() throws Exception {
    Path home = jdk("Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home", "25.0.1");

    assertThat(choose(Map.of())).isEqualTo(home.toString());
  }

  @Test
  void aRuntimeWithoutCompilerCannotBuildButCanRun() throws Exception {
    Path runtime = jdk("usr/lib/jvm/jre", "25.0.1");
    Files.delete(runtime.resolve("bin/javac"));

    assertThat(choose(Map.of())).contains("This needs a JDK 25 or newer");
    assertThat(choose(Map.of("jdk_program", "java"))).isEqualTo(runtime.toString());
  }

  @Test
  void saysInOneSentenceWhatToInstall() throws Exception {
    jdk("usr/lib/jvm/java-17", "17.0.15");

    assertThat(choose(Map.of()).lines()).singleElement().asString().contains("Install one");
  }

  /** What the script prints: the chosen home, or why there is none. */
  private String choose(Map<String, String> environment) throws Exception {
    String script =
        Files.readString(Path.of("..", "..", ".mvn", "jdk"))
            .replace("/usr/lib/jvm/", quoted("usr/lib/jvm/"))
            .replace("/opt/", quoted("opt/"))
            .replace("/Library/", quoted("Library/"));
    Path file = Files.writeString(root.resolve("jdk"), script);
    ProcessBuilder shell =
        new ProcessBuilder(
                "/bin/sh", "-euf", "-c", ". \"$0\"; echo \"$JAVA_HOME\"", file.toString())
            .redirectErrorStream(true);
    shell.environment().remove("JAVA_HOME");
    shell.environment().put("PATH", path(root));
    shell.environment().put("SDKMAN_DIR", root.resolve("sdkman").toString());
    shell.environment().put("ASDF_DATA_DIR", root.resolve("asdf").toString());
    shell.environment().putAll(environment);
    Process process = shell.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(output.startsWith("/") ? 0 : 1);
    return output.strip();
  }

  private String quoted(String folder) {
    return "\"" + root + "/\"" + folder;
  }

  /**
   * A PATH that finds the JDK in this folder, and of the machine's programs those that the script
   * needs.
   */
  private String path(Path home) throws IOException {
    Path tools = root.resolve("tools of the script");
    if (Files.notExists(tools)) {
      Files.createDirectories(tools);
      for (String name : new String[] {"sed", "head", "readlink"}) {
        Path program = Path.of("/usr/bin", name);
        Files.createSymbolicLink(
            tools.resolve(name), Files.exists(program) ? program : Path.of("/bin", name));
      }
    }
    return home.resolve("bin") + ":" + tools;
  }

  private Path jdk(String folder, String version) throws IOException {
    Path home = root.resolve(folder);
    Path programs = Files.createDirectories(home.resolve("bin"));
    program(programs.resolve("java"), "echo 'openjdk version \"" + version + "\"' >&2");
    program(programs.resolve("javac"), "");
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private static void program(Path file, String body) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
