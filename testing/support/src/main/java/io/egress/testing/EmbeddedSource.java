package io.egress.testing;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import java.util.Optional;

/** Servers started in this JVM, each with its own temporary folder. */
final class EmbeddedSource implements BackendSource {
  @Override
  public Optional<Server> postgres() {
    EmbeddedBackends backends =
        EmbeddedBackends.start(EmbeddedOptions.scratch().unsynced().withoutKafka());
    return Optional.of(new Server(backends.databaseUrl(), false, backends::close));
  }

  @Override
  public Optional<Server> kafka() {
    EmbeddedBackends backends =
        EmbeddedBackends.start(EmbeddedOptions.scratch().unsynced().withoutPostgres());
    return Optional.of(new Server(backends.kafkaBootstrap(), false, backends::close));
  }
}
