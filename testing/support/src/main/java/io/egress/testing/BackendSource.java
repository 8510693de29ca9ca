package io.egress.testing;

import java.util.Optional;

/** A source of servers for tests. The first source that has a server provides it. */
interface BackendSource {
  /**
   * A running server.
   *
   * @param outlivesTests whether it outlives this process, so that tests have to clean up
   * @param stop stops whatever its source started for it
   */
  record Server(String address, boolean outlivesTests, Runnable stop) implements AutoCloseable {
    @Override
    public void close() {
      stop.run();
    }
  }

  Optional<Server> postgres();

  Optional<Server> kafka();
}
