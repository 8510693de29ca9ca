package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.egress.transcript.document.BodyEncoder;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Joins a body from text and from documents, which are embedded as they are. */
sealed interface BodyParts {
  void text(String ascii);

  void document(DocumentHead head);

  /** The bytes of the body, in parts. Nothing may follow. */
  List<byte[]> end();

  static BodyParts of(boolean compressed) {
    return compressed ? new Compressed() : new Plain();
  }

  /** Shares the texts of documents. */
  final class Plain implements BodyParts {
    private static final byte[] END_OF_HEAD = "\"emitted_at\":\"".getBytes(US_ASCII);

    private final List<byte[]> parts = new ArrayList<>();

    @Override
    public void text(String ascii) {
      parts.add(ascii.getBytes(US_ASCII));
    }

    @Override
    public void document(DocumentHead head) {
      byte[] text = head.text();
      int start = text.length - END_OF_HEAD.length;
      if (start < 0
          || !Arrays.equals(text, start, text.length, END_OF_HEAD, 0, END_OF_HEAD.length)) {
        throw new IllegalArgumentException("a head does not end with \"emitted_at\":\"");
      }
      parts.add(text);
    }

    @Override
    public List<byte[]> end() {
      return parts;
    }
  }

  /** One gzip member, of documents as they were compressed when they were stored. */
  final class Compressed implements BodyParts {
    private final BodyEncoder body = BodyEncoder.gzip();

    @Override
    public void text(String ascii) {
      body.literal(ascii);
    }

    @Override
    public void document(DocumentHead head) {
      head.writeTo(body);
    }

    @Override
    public List<byte[]> end() {
      body.finish();
      List<byte[]> parts = new ArrayList<>();
      for (Buffer part = body.next(); part != null; part = body.next()) {
        parts.add(part.getBytes());
      }
      return parts;
    }
  }
}
