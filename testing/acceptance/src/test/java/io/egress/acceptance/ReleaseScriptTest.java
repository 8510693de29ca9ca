package io.egress.acceptance;

import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.works;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code deploy/release} checks before it builds, in a small checkout. */
class ReleaseScriptTest {
  private static final Path ROOT = Path.of("..", "..");

  @TempDir Path temporary;

  private Path checkout;
  private Path programs;

  @BeforeEach
  void makeCheckout() throws Exception {
    assumeTrue(
        has("git")
            && has("bash")
            && works("openssl", "version")
            && works("tar", "--sort=name", "--version"),
        "the script needs git, bash, OpenSSL and GNU tar");
    checkout = temporary.resolve("a checkout");
    programs = Files.createDirectories(temporary.resolve("programs"));
    for (String script : new String[] {"deploy/release", "deploy/record-artifacts", ".mvn/jdk"}) {
      Files.createDirectories(checkout.resolve(script).getParent());
      Files.copy(ROOT.resolve(script), checkout.resolve(script));
    }
    write("pom.xml", "<version>1.0.0</version>\n");
    write("api/pom.xml", "<parent>\n<version>1.0.0</version>\n</parent>\n");
    write("api/openapi.json", "{\n  \"info\": {\n    \"version\": \"1.0.0\",\n");
    write("deploy/helm/transcript-egress/Chart.yaml", "version: 1.0.0\nappVersion: 1.0.0\n");
    write("CHANGELOG.md", "## Unreleased\n\n## 1.0.0 - 2026-11-22\n\nAll of it.\n");
    execute("git", "init", "--quiet");
    commit();
  }

  @Test
  void refusesChangesThatAreNotCommitted() throws Exception {
    write("notes.txt", "");

    assertThat(refusal()).contains("changes that are not committed");
  }

  @Test
  void refusesASnapshot() throws Exception {
    write("pom.xml", "<version>1.0.0-SNAPSHOT</version>\n");
    commit();

    assertThat(refusal()).contains("the version is 1.0.0-SNAPSHOT");
  }

  @Test
  void refusesAModuleOfAnotherVersion() throws Exception {
    write("api/pom.xml", "<version>1.1.0</version>\n");
    commit();

    assertThat(refusal()).contains("api/pom.xml has version 1.1.0, and pom.xml has 1.0.0");
  }

  @Test
  void refusesAChartOfAnotherVersion() throws Exception {
    write("deploy/helm/transcript-egress/Chart.yaml", "version: 1.0.0\nappVersion: 0.9.0\n");
    commit();

    assertThat(refusal()).contains("appVersion in deploy/helm/").contains("is not 1.0.0");
  }

  @Test
  void refusesADescriptionOfAnotherVersion() throws Exception {
    write("api/openapi.json", "{\n  \"info\": {\n    \"version\": \"0.9.0\",\n");
    commit();

    assertThat(refusal()).contains("the version in api/openapi.json is not 1.0.0");
  }

  @Test
  void refusesAChangelogWithoutTheVersion() throws Exception {
    write("CHANGELOG.md", "## Unreleased\n\nAll of it.\n");
    commit();

    assertThat(refusal())
        .contains("does not begin with '## Unreleased' and '## 1.0.0 - YEAR-MONTH-DAY'");
  }

  @Test
  void refusesChangesThatAreInNoVersion() throws Exception {
    write("CHANGELOG.md", "## Unreleased\n\nSome of it.\n\n## 1.0.0 - 2026-11-22\n\nAll of it.\n");
    commit();

    assertThat(refusal()).contains("CHANGELOG.md has changes under '## Unreleased'");
  }

  @Test
  void refusesAVersionWithoutChanges() throws Exception {
    write("CHANGELOG.md", "## Unreleased\n\n## 1.0.0 - 2026-11-22\n\n## 0.9.0\n\nOld.\n");
    commit();

    assertThat(refusal()).contains("CHANGELOG.md says nothing about 1.0.0");
  }

  @Test
  void refusesToReleaseWithoutAKey() throws Exception {
    assertThat(refusal()).contains("name it with --key FILE");
    assertThat(refusal("--key", "pom.xml")).contains("pom.xml is no private key in PEM");
  }

  @Test
  void refusesToSkipImagesUnasked() throws Exception {
    Path docker = Files.writeString(programs.resolve("docker"), "#!/bin/sh\nexit 1\n");
    assertThat(docker.toFile().setExecutable(true)).isTrue();

    assertThat(refusal("--key", publishedKey())).contains("no Docker engine answers");
  }

  @Test
  void refusesAKeyThatIsNotPublished() throws Exception {
    String key = publishedKey();
    write("SECURITY.md", "none yet\n");
    commit();

    assertThat(refusal("--key", key))
        .contains("SECURITY.md does not name the key, whose fingerprint is");
  }

  /** A plugin or library that was replaced, or that nobody has looked at. */
  @Test
  void refusesAnArtifactThatIsNotTheKnownOne() throws Exception {
    String key = publishedKey();
    write(
        "mvnw",
        """
        #!/bin/sh
        for option; do
          case $option in *.basedir=*) folder=${option#*.basedir=} ;; esac
        done
        printf '%s\n' '1111  com/example/known/1.0/known-1.0.jar' '2222  com/example/other/1.0/other-1.0.jar' \
          '3333  io/egress/egress-common/1.0.0/egress-common-1.0.0.jar' >"$folder/checksums.sha256"
        """);
    assertThat(checkout.resolve("mvnw").toFile().setExecutable(true)).isTrue();
    write(
        ".mvn/checksums.sha256",
        "1111  com/example/known/1.0/known-1.0.jar\n9999  com/example/other/1.0/other-1.0.jar\n");
    commit();

    Result result = run(List.of("deploy/release", "--key", key, "--skip-ci", "--without-image"));

    assertThat(result.exitValue()).as(result.output()).isEqualTo(1);
    assertThat(result.output())
        .contains("2222  com/example/other/1.0/other-1.0.jar")
        .contains("Not released: the artifacts above are not those of .mvn/checksums.sha256")
        .doesNotContain("known-1.0.jar", "egress-common");
  }

  /** The file of a new key, whose fingerprint the checkout names. */
  private String publishedKey() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    write(
        "SECURITY.md",
        HexFormat.of()
                .formatHex(
                    MessageDigest.getInstance("SHA-256").digest(pair.getPublic().getEncoded()))
            + "\n");
    commit();
    Path key = temporary.resolve("key.pem");
    Files.writeString(
        key,
        "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
            .formatted(Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded())));
    return key.toString();
  }

  /** The only line that the script prints. */
  private String refusal(String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("deploy/release"));
    command.addAll(List.of(options));
    Result result = run(command);
    assertThat(result.exitValue()).as(result.output()).isEqualTo(1);
    assertThat(result.output().lines()).singleElement().asString().startsWith("Not released: ");
    return result.output();
  }

  private record Result(int exitValue, String output) {}

  private void commit() throws Exception {
    execute("git", "add", "--all");
    execute(
        "git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "-qm", "Now");
  }

  private void execute(String... command) throws Exception {
    Result result = run(List.of(command));
    assertThat(result.exitValue()).as(result.output()).isZero();
  }

  private Result run(List<String> command) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(checkout.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("PATH", programs + ":" + System.getenv("PATH"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  private void write(String file, String text) throws IOException {
    Path path = checkout.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
