package io.egress.cli.mirror;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where a mirror is kept, while it is written to. All changes may be repeated: a mirror that is
 * stopped at any moment does again what its saved state does not cover.
 */
interface MirrorStore extends Copies {
  /**
   * Writes captures, and deletes those that were erased. No capture is in {@code entries} twice.
   */
  void apply(List<Page.Entry> entries) throws IOException;

  /** Deletes captures. */
  void delete(Collection<UUID> ids) throws IOException;

  /** Makes everything so far durable, and then the state. */
  void save(MirrorState next) throws IOException;

  /** Called when everything that the workspace has was read. */
  void tidyUp() throws IOException;

  /** A sentence about erased text that something keeps from being deleted. */
  Optional<String> remains();

  Tally tally();
}
