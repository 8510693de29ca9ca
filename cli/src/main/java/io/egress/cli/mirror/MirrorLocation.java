package io.egress.cli.mirror;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What {@code --to} names. */
public interface MirrorLocation {
  /** {@code s3://bucket/prefix}, or a folder. Fails for what is neither, with a sentence. */
  static MirrorLocation of(String to) {
    return to.startsWith(BucketAddress.SCHEME)
        ? new BucketLocation(BucketAddress.parse(to))
        : new FolderLocation(to);
  }

  /** As the user wrote it. */
  String name();

  /**
   * Prepares it to be written to: it must be a mirror of this format, or empty.
   *
   * @param format null for that of the mirror, which is JSON for a new one
   */
  MirrorStore open(@Nullable MirrorFormat format) throws IOException;

  /** For a look that changes nothing. */
  Copies look(@Nullable MirrorFormat format) throws IOException;
}
