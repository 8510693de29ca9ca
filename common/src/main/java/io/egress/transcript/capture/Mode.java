package io.egress.transcript.capture;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** How a recording began: automatically, when the device detected speech, or manually. */
public enum Mode {
  AMBIENT("ambient"),
  MANUAL("manual");

  private final String wireName;

  Mode(String wireName) {
    this.wireName = wireName;
  }

  @JsonValue
  public String wireName() {
    return wireName;
  }

  public static Mode of(String wireName) {
    return find(wireName)
        .orElseThrow(() -> new IllegalArgumentException("no mode is called " + wireName));
  }

  public static Optional<Mode> find(String wireName) {
    return Arrays.stream(values()).filter(mode -> mode.wireName.equals(wireName)).findFirst();
  }

  public static List<String> wireNames() {
    return Arrays.stream(values()).map(Mode::wireName).toList();
  }
}
