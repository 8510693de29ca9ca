package io.egress.cli.mirror;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The requests that a mirror sends to a bucket. Tests stop it between any two. */
interface ObjectStore extends AutoCloseable {
  /**
   * An object.
   *
   * @param lastModified by the clock of the bucket, in whole seconds
   * @param asWritten it is what {@link #put} wrote
   */
  record Content(Buffer bytes, String etag, Instant lastModified, boolean asWritten) {}

  /**
   * A version of an object, or the object itself in a bucket without versions.
   *
   * @param id null in a bucket without versions
   * @param deletion it is what hides the versions before it
   */
  record Version(
      String key, @Nullable String id, Instant lastModified, boolean latest, boolean deletion) {}

  /** Whether versions are kept, or were kept at some time. */
  boolean hasVersions() throws IOException;

  /** All versions of the objects whose keys begin with {@code prefix}; those of a key in a row. */
  void versions(String prefix, Consumer<Version> each) throws IOException;

  /** As much as is there of what is not deleted, in one request. */
  List<Version> someObjects(String prefix) throws IOException;

  /** All objects whose keys begin with {@code prefix}. */
  void objects(String prefix, Consumer<Version> each) throws IOException;

  Optional<Content> get(String key) throws IOException;

  void put(String key, byte[] content, String type) throws IOException;

  /**
   * Replaces an object that has {@code etag}, or creates one if it is null.
   *
   * @return the new one's
   * @throws ObjectStoreException.ConditionFailed also if a repeated request was carried out the
   *     first time
   */
  String replace(String key, byte[] content, String type, @Nullable String etag) throws IOException;

  /** Hides it, if the bucket has versions. */
  void delete(String key) throws IOException;

  /**
   * Deletes a version for good.
   *
   * @throws ObjectStoreException.Refused if it is locked, or the permission is missing
   */
  void deleteVersion(String key, String id) throws IOException;

  /** What keeps a version from being deleted, in words; empty if that is not known. */
  Optional<String> lock(String key, String id) throws IOException;

  @Override
  void close();
}
