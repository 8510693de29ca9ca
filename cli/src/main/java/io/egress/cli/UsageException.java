package io.egress.cli;

/** A wrong command line that only the command itself can find to be wrong: exit status 2. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String problem) {
    super(problem);
  }
}
