package io.egress.acceptance;

import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.works;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A system that has a shell, a few small programs and the C and C++ libraries, but no Java and no
 * network. Its root folder is made of this machine's files.
 */
final class WithoutJava {
  /**
   * Those of the start script and of the embedded PostgreSQL, and those of the tests. Within a
   * changed root no user namespace can be made, so setpriv drops root's privileges.
   */
  private static final List<String> PROGRAMS =
      List.of(
          "cat", "chroot", "dirname", "env", "grep", "id", "nice", "rm", "sed", "setpriv", "sh",
          "sleep", "test", "unshare");

  private static final List<String> LIBRARIES =
      List.of(
          "libc.so.6",
          "libdl.so.2",
          "libgcc_s.so.1",
          "libm.so.6",
          "libnss_files.so.2",
          "libpthread.so.0",
          "librt.so.1",
          "libstdc++.so.6");

  private static final Pattern LIBRARY = Pattern.compile("(?:=> |^\\s*)(/\\S+)", Pattern.MULTILINE);

  /** Mounts end with the namespace. */
  private static final String ENTER =
      """
      ip link set lo up
      mount -t proc proc "$0/proc"
      mount --rbind /dev "$0/dev"
      exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/bin /usr/bin/sh -euc "$1"
      """;

  private final Path root;

  private WithoutJava(Path root) {
    this.root = root;
  }

  static WithoutJava make(Path root) throws Exception {
    assumeTrue(
        has("unshare")
            && has("ldd")
            && works("ip", "-V")
            && works("unshare", "--net", "--mount", "--pid", "--fork", "true"),
        "needs Linux, root, and the programs unshare, ip and ldd");
    WithoutJava made = new WithoutJava(root);
    for (String folder : new String[] {"dev", "etc", "proc", "root", "tmp", "usr/bin", "var"}) {
      Files.createDirectories(root.resolve(folder));
    }
    Files.setPosixFilePermissions(
        root.resolve("tmp"), PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createSymbolicLink(root.resolve("bin"), Path.of("usr", "bin"));
    Files.writeString(
        root.resolve("etc/passwd"),
        "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n");
    Files.writeString(root.resolve("etc/group"), "root:x:0:\nnogroup:x:65534:\n");
    made.copyPrograms();
    return made;
  }

  Path resolve(String file) {
    return root.resolve(file);
  }

  /** Runs lines of a shell as root; each must succeed. */
  CommandLine start(String lines) throws IOException {
    return CommandLine.start(
        Map.of(),
        List.of(
            "unshare",
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child", //
            "sh",
            "-euc",
            ENTER,
            root.toString(),
            lines));
  }

  private void copyPrograms() throws Exception {
    Set<String> libraries = new TreeSet<>();
    for (String program : PROGRAMS) {
      Path file = onPath(program);
      Files.copy(file.toRealPath(), root.resolve("usr/bin").resolve(program));
      found(libraries, output("ldd", file.toString()));
    }
    String known = output("sh", "-c", "PATH=$PATH:/sbin:/usr/sbin ldconfig -p");
    for (String library : LIBRARIES) {
      known
          .lines()
          .filter(line -> line.strip().startsWith(library + " "))
          .filter(line -> line.contains("64"))
          .findFirst()
          .ifPresent(line -> found(libraries, line));
    }
    for (String library : libraries) {
      Path copy = root.resolve(library.substring(1));
      Files.createDirectories(copy.getParent());
      Files.copy(Path.of(library).toRealPath(), copy);
    }
  }

  private static Path onPath(String program) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + program));
  }

  private static void found(Set<String> libraries, String text) {
    Matcher library = LIBRARY.matcher(text);
    while (library.find()) {
      libraries.add(library.group(1));
    }
  }

  private static String output(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
    return text;
  }

  /** Whether a program of this name is anywhere in it. */
  boolean hasProgram(String name) throws IOException {
    try (Stream<Path> files = Files.walk(root.resolve("usr"))) {
      return files.anyMatch(file -> file.endsWith(name));
    }
  }
}
