package io.egress.api.pull;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether a client accepts gzip, by the rules of RFC 9110. */
final class AcceptedEncoding {
  private AcceptedEncoding() {}

  static boolean takesGzip(@Nullable String acceptEncoding) {
    if (acceptEncoding == null) {
      return false;
    }
    Boolean any = null;
    for (String part : acceptEncoding.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] coding = part.strip().split(";", -1);
      String name = coding[0].strip();
      if (name.equals("gzip") || name.equals("x-gzip")) {
        return !isZero(coding);
      }
      if (name.equals("*")) {
        any = !isZero(coding);
      }
    }
    return any != null && any;
  }

  private static boolean isZero(String[] coding) {
    for (int i = 1; i < coding.length; i++) {
      if (coding[i].replace(" ", "").matches("q=0(\\.0{0,3})?")) {
        return true;
      }
    }
    return false;
  }
}
