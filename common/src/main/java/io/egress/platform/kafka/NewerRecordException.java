package io.egress.platform.kafka;

/**
 * A record that a later release wrote, and that this one cannot read. It is left to a process of
 * that release.
 *
 * <p>A release that changes what a record means, rather than adding to it, writes a {@code format}
 * above {@link #FORMAT} into it, as the first field: what follows may be of another form. Records
 * without one are of the first format.
 */
public final class NewerRecordException extends RuntimeException {
  /** The name of the field. */
  public static final String FIELD = "format";

  /** The newest format that this release reads. */
  public static final int FORMAT = 1;

  private static final long serialVersionUID = 1L;

  public NewerRecordException(String what) {
    super(what + " was written by a newer release");
  }

  /** Throws if this release does not read records of the format. */
  public static void check(int format) {
    if (format > FORMAT) {
      throw new NewerRecordException("a record of format " + format);
    }
  }
}
