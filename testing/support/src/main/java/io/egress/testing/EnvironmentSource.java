package io.egress.testing;

import java.util.Map;
import java.util.Optional;

/** Existing servers, named by environment variables. */
record EnvironmentSource(Map<String, String> environment) implements BackendSource {
  static final String DATABASE_URL = "EGRESS_TEST_DATABASE_URL";
  static final String KAFKA_BOOTSTRAP = "EGRESS_TEST_KAFKA_BOOTSTRAP";

  @Override
  public Optional<Server> postgres() {
    return named(DATABASE_URL);
  }

  @Override
  public Optional<Server> kafka() {
    return named(KAFKA_BOOTSTRAP);
  }

  private Optional<Server> named(String variable) {
    String address = environment.getOrDefault(variable, "").strip();
    return address.isEmpty() ? Optional.empty() : Optional.of(new Server(address, true, () -> {}));
  }
}
