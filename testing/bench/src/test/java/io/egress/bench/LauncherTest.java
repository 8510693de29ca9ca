package io.egress.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.cli.Administration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that the script {@code egress} starts as what they are. */
class LauncherTest {
  @TempDir private Path folder;

  @Test
  void startsAllCommandsButThoseThatRunSomethingAsCallsOfAService() throws IOException {
    Set<String> running = new HashSet<>(BenchMain.program().commands().keySet());
    running.removeAll(Administration.COMMANDS.keySet());
    List<String> listed =
        Pattern.compile("(?m)^  ([a-z |]+)\\) role=")
            .matcher(Files.readString(Path.of("..", "..", "egress")))
            .results()
            .flatMap(line -> Stream.of(line.group(1).split(" \\| ")))
            .toList();

    assertThat(listed).hasSameElementsAs(running);
  }

  @Test
  void usesTheCacheOfItsLibrariesAndNoFormerOne() throws Exception {
    Path libraries = unpackedArchive();
    Path cache = Files.createDirectories(folder.resolve("aot")).resolve("service.aot");
    Files.writeString(cache, "");
    assertThat(javaLine("up")).contains("-XX:AOTCache=" + libraries.resolve("../aot/service.aot"));

    Files.setLastModifiedTime(cache, FileTime.from(Instant.now().minusSeconds(60)));
    assertThat(javaLine("up"))
        .contains("-Degress.train=true")
        .noneMatch(argument -> argument.startsWith("-XX:AOTCache"));
    assertThat(cache).doesNotExist();
  }

  /** The JVM looks for the classes of this library in each jar before it. */
  @Test
  void putsTheLibraryOfEachCommandFirst() throws Exception {
    Path libraries = unpackedArchive();

    assertThat(javaLine("keys", "list", "a b"))
        .containsSubsequence(
            "-cp",
            libraries
                + "/picocli-1.jar:"
                + libraries
                + "/jte-1.jar:"
                + libraries
                + "/picocli-1.jar")
        .endsWith("keys", "list", "a b");
  }

  /** A release archive's start script, with a JVM that prints its arguments. */
  private Path unpackedArchive() throws IOException {
    Path root = Path.of("..", "..").toRealPath();
    for (String file : List.of("egress", ".mvn/jdk", "deploy/jvm/command", "deploy/jvm/up")) {
      Path copy = folder.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(root.resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
    }
    Path libraries = Files.createDirectories(folder.resolve("lib"));
    Files.writeString(libraries.resolve("jte-1.jar"), "");
    Files.writeString(libraries.resolve("picocli-1.jar"), "");
    Path program = Files.createDirectories(folder.resolve("jdk 25/bin")).resolve("java");
    Files.writeString(program, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Files.writeString(folder.resolve("jdk 25/release"), "JAVA_VERSION=\"25\"\n");
    return libraries;
  }

  private List<String> javaLine(String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of(folder.resolve("egress").toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder start = new ProcessBuilder(line).redirectErrorStream(true);
    start.environment().put("JAVA_HOME", folder.resolve("jdk 25").toString());
    Process process = start.start();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed.lines().toList();
  }
}
