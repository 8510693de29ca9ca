package io.egress.embedded;

import java.util.Optional;

/** Where the tests' servers come from. The first source that has a server provides it. */
interface BackendSource {
  /** A running server; closing it gives back whatever its source started for it. */
  interface Server extends AutoCloseable {
    String address();

    /** Whether it is there after this process too, so that what tests leave in it matters. */
    boolean outlivesTests();

    @Override
    void close();
  }

  Optional<Server> postgres();

  Optional<Server> kafka();
}
