package io.egress.kafka;

import java.util.List;

/** Topics that would lose records, or send them astray, and are not the service's to change. */
public final class UnfitTopicsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnfitTopicsException(List<String> reasons) {
    super(String.join("\n", reasons));
  }
}
