package io.egress.embedded;

import java.util.Optional;

/** Where the tests' servers come from. The first source that has a server provides it. */
interface BackendSource {
  /** A running server; closing it gives back whatever its source started for it. */
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
