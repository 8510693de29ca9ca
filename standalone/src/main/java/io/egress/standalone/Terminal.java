package io.egress.standalone;

/** Whether a person reads what is printed. The start script says so: a JVM cannot tell for sure. */
final class Terminal {
  private static final String PROPERTY = "egress.terminal";

  private Terminal() {}

  static boolean isInteractive() {
    return Boolean.getBoolean(PROPERTY);
  }
}
