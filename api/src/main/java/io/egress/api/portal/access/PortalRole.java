package io.egress.api.portal.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The permissions of a session. */
public enum PortalRole {
  /** May see everything and change nothing. */
  VIEW,
  ADMIN,
  /** Of all workspaces; may do in each what an admin may. */
  OPERATOR;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<PortalRole> find(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }
}
