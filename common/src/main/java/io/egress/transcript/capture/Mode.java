package io.egress.transcript.capture;

/** How a recording began: automatically, when the device detected speech, or manually. */
public enum Mode {
  AMBIENT("ambient"),
  MANUAL("manual");

  private final String wireName;

  Mode(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }
}
