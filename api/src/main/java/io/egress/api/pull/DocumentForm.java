package io.egress.api.pull;

import io.egress.platform.http.Refusal;
import io.egress.transcript.text.TextFormat;
import io.vertx.ext.web.MIMEHeader;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a reader gets of a capture by its id.
 *
 * @param text null for the document as it is, in JSON
 */
record DocumentForm(@Nullable TextFormat text) {
  private static final DocumentForm JSON = new DocumentForm(null);
  private static final String ANY = "*";

  /** Whatever is accepted most; of equals the document as it is. Throws {@link Refusal}. */
  static DocumentForm from(List<MIMEHeader> accept) {
    if (accept.isEmpty()) {
      return JSON;
    }
    DocumentForm best = JSON;
    float most = weight(accept, "application", "json");
    for (TextFormat format : TextFormat.values()) {
      float weight = weight(accept, format.type(), format.subtype());
      if (weight > most) {
        best = new DocumentForm(format);
        most = weight;
      }
    }
    if (most == 0) {
      throw new Refusal(
          406,
          Arrays.stream(TextFormat.values())
              .map(TextFormat::mediaType)
              .collect(
                  Collectors.joining(", ", "a capture can be read as application/json, ", "")));
    }
    return best;
  }

  /** That of the most specific range that the type is in. */
  private static float weight(List<MIMEHeader> accept, String type, String subtype) {
    float weight = 0;
    int specific = -1;
    for (MIMEHeader range : accept) {
      int match = match(range, type, subtype);
      if (match > specific) {
        specific = match;
        weight = range.weight();
      }
    }
    return weight;
  }

  private static int match(MIMEHeader range, String type, String subtype) {
    if (range.component().equals(ANY) && range.subComponent().equals(ANY)) {
      return 0;
    }
    if (!range.component().equalsIgnoreCase(type)) {
      return -1;
    }
    if (range.subComponent().equals(ANY)) {
      return 1;
    }
    return range.subComponent().equalsIgnoreCase(subtype) ? 2 : -1;
  }

  String contentType() {
    return text == null ? "application/json" : text.mediaType() + "; charset=utf-8";
  }

  /** Tells the tags of two forms of one revision apart. */
  String tagged(long revision) {
    return text == null ? Long.toString(revision) : revision + "-" + text.subtype();
  }
}
