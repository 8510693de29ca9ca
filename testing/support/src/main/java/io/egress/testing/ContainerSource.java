package io.egress.testing;

import io.egress.embedded.EmbeddedBackendException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers in Docker containers, if {@code EGRESS_TEST_BACKENDS} requests them and an engine
 * answers. Refers to no class of Testcontainers directly: that library is optional.
 */
record ContainerSource(Map<String, String> environment, BooleanSupplier engineAnswers)
    implements BackendSource {
  static final String SETTING = "EGRESS_TEST_BACKENDS";
  private static final String TESTCONTAINERS = "testcontainers";
  private static final String EMBEDDED = "embedded";
  private static final Logger log = LoggerFactory.getLogger(ContainerSource.class);

  static ContainerSource of(Map<String, String> environment) {
    return new ContainerSource(environment, () -> Containers.engineAnswers());
  }

  @Override
  public Optional<Server> postgres() {
    return usable() ? Optional.of(Containers.postgres()) : Optional.empty();
  }

  @Override
  public Optional<Server> kafka() {
    return usable() ? Optional.of(Containers.kafka()) : Optional.empty();
  }

  private boolean usable() {
    String asked = environment.getOrDefault(SETTING, "").strip();
    if (asked.isEmpty() || asked.equals(EMBEDDED)) {
      return false;
    }
    if (!asked.equals(TESTCONTAINERS)) {
      throw new EmbeddedBackendException(
          "%s is %s, not one of: %s, %s".formatted(SETTING, asked, EMBEDDED, TESTCONTAINERS));
    }
    if (!engineAnswers.getAsBoolean()) {
      log.warn("No Docker engine answers; using the embedded servers");
      return false;
    }
    return true;
  }
}
