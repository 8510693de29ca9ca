package io.egress.testing;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import java.util.Optional;

/** Servers started in this JVM, each with its own temporary folder. */
final class EmbeddedSource implements BackendSource {
  private record Started(String address, EmbeddedBackends backends) implements Server {
    @Override
    public boolean outlivesTests() {
      return false;
    }

    @Override
    public void close() {
      backends.close();
    }
  }

  @Override
  public Optional<Server> postgres() {
    EmbeddedBackends backends =
        EmbeddedBackends.start(EmbeddedOptions.scratch().unsynced().withoutKafka());
    return Optional.of(new Started(backends.databaseUrl(), backends));
  }

  @Override
  public Optional<Server> kafka() {
    EmbeddedBackends backends =
        EmbeddedBackends.start(EmbeddedOptions.scratch().unsynced().withoutPostgres());
    return Optional.of(new Started(backends.kafkaBootstrap(), backends));
  }
}
