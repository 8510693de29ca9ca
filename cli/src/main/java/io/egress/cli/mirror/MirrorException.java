package io.egress.cli.mirror;

import io.egress.platform.outage.Reason;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Ends the command; the message is the sentence that the user reads. */
final class MirrorException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  MirrorException(String message) {
    super(message);
  }

  MirrorException(String message, Throwable cause) {
    super(message, cause);
  }

  /** An operation on the copies in {@code place} failed. */
  static MirrorException unusable(String place, IOException failure) {
    return new MirrorException("Cannot use %s: %s".formatted(place, reason(failure)), failure);
  }

  private static String reason(IOException failure) {
    return switch (failure) {
      case ObjectStoreException said -> said.reason();
      case AccessDeniedException denied -> "permission denied for " + denied.getFile();
      case NoSuchFileException gone -> gone.getFile() + " does not exist";
      case FileAlreadyExistsException file -> file.getFile() + " is not a folder";
      case NotDirectoryException file -> file.getFile() + " is not a folder";
      case FileSystemException named when named.getReason() != null -> named.getReason();
      default -> Reason.of(failure);
    };
  }
}
