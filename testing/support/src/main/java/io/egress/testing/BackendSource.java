package io.egress.testing;

import java.util.Optional;

/** A source of servers for tests. The first source that has a server provides it. */
interface BackendSource {
  /** A running server; closing it stops whatever its source started for it. */
  interface Server extends AutoCloseable {
    String address();

    /** Whether the server outlives this process, so that tests have to clean up. */
    boolean outlivesTests();

    @Override
    void close();
  }

  Optional<Server> postgres();

  Optional<Server> kafka();
}
