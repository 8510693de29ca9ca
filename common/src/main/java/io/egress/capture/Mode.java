package io.egress.capture;

/** How a recording began: by a device that heard speech, or by a person. */
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
