package io.egress.api.portal.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a session may do. */
public enum PortalRole {
  /** See everything and change nothing. */
  VIEW,
  ADMIN;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<PortalRole> find(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }
}
