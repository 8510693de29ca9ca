package io.egress.cli.mirror;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** The copies of a workspace's captures, in a folder or in a bucket. */
interface Copies extends AutoCloseable {
  /**
   * Where a copy of a capture is.
   *
   * @param name as {@code --check} prints it
   * @param readable false for a copy that is deleted, of which the bucket keeps former versions
   */
  record Place(String name, LocalDate day, boolean readable) {}

  /**
   * What a copy contains.
   *
   * @param asWritten it is known that nobody else has changed it
   */
  record Content(Buffer bytes, boolean asWritten) {}

  /** As the user wrote it after {@code --to}. */
  String name();

  /** {@code folder} or {@code prefix}. */
  String kind();

  MirrorState state();

  /** Of all captures of which there is something, as of now. */
  List<UUID> ids();

  /** The number of captures that can be read. */
  int size();

  /** More than one if a run was stopped while it replaced one by another. */
  List<Place> places(UUID id);

  Content read(Place place) throws IOException;

  /** Names of what is not the copy of a capture. */
  Collection<String> others();

  /** How many copies may be read at a time. */
  int readers();

  @Override
  void close() throws IOException;
}
