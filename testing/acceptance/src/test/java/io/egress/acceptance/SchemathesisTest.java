package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stranger's tester finds nothing in either description that the service does not keep. What the
 * schemas allow has to be accepted where its requests are the same in every run.
 */
@Tag("full")
class SchemathesisTest {
  private static final Path HOOKS = Path.of("src/test/resources/schemathesis/hooks.py");
  private static final UUID WORKSPACE = UUID.randomUUID();

  private static PythonPackages packages;
  private static BothRoles service;

  private final Path folder;

  SchemathesisTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  static void start() throws Exception {
    packages = PythonPackages.install("schemathesis", "schemathesis==4.32.5");
    service = new BothRoles(BothRoles.environment());
    String first = service.finish(WORKSPACE, 30).iterator().next();
    // Pages that would be empty are held for as long as a request says.
    service.call("DELETE", "/captures/" + first, new JsonObject().put("reason", "requested"));
  }

  @AfterAll
  static void stop() {
    if (service != null) {
      service.close();
    }
  }

  @Test
  void findsNothingInThePublicDescription() throws Exception {
    findsNothing(
        "openapi.json",
        """
        base-url = "%s"
        [auth.openapi.apiKey]
        bearer = "%s"
        """
            .formatted(service.publicUrl(""), service.mintKey(WORKSPACE)));
  }

  @Test
  void findsNothingInTheInternalDescription() throws Exception {
    findsNothing(
        "internal-openapi.json",
        """
        base-url = "%s"
        [auth.openapi.internalToken]
        bearer = "%s"
        [[operations]]
        include-name = "POST /internal/v1/captures"
        # It answers 200 with a reason for each line.
        checks.negative_data_rejection.enabled = false
        """
            .formatted(service.internalUrl(""), BothRoles.TOKEN));
  }

  private void findsNothing(String description, String target) throws Exception {
    Files.writeString(
        folder.resolve("schemathesis.toml"),
        """
        hooks = "%s"
        request-timeout = 40
        %s
        [generation]
        allow-extra-parameters = false
        deterministic = true
        max-examples = 15
        [checks]
        positive_data_acceptance = { enabled = false, expected-statuses = ["2xx", "304", "401", "403", "404", "409", "410", "422", "429"] }
        """
            .formatted(HOOKS.toAbsolutePath(), target));
    Path output = folder.resolve("output");
    ProcessBuilder program =
        new ProcessBuilder(
                packages.environment().resolve("bin/schemathesis").toString(),
                "run",
                OpenApiGenerator.at(description),
                "--continue-on-failure",
                "--no-color")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Process run = program.start();

    assertThat(run.waitFor(8, TimeUnit.MINUTES)).isTrue();

    assertThat(run.exitValue()).as(Files.readString(output)).isZero();
  }
}
