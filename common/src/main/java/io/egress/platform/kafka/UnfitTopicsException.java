package io.egress.platform.kafka;

import java.util.List;

/** Existing topics that would lose or misroute records, and that the service may not change. */
public final class UnfitTopicsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnfitTopicsException(List<String> reasons) {
    super(String.join("\n", reasons));
  }
}
