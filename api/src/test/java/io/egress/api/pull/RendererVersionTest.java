package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.api.Service;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.document.DocumentRenderer;
import io.egress.transcript.document.TranscriptRenderer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A release that adds a field to the document. */
@Execution(ExecutionMode.CONCURRENT)
class RendererVersionTest {
  private static final short NEXT_VERSION = TranscriptRenderer.VERSION + 1;

  private final FilledStream stream = FilledStream.fill();

  @AfterEach
  void close() {
    stream.service().close();
  }

  @Test
  void documentsOfAnEarlierVersionAreRenderedWhenAskedForAndInTheBackground() throws Exception {
    try (Service next = stream.service().twin(new WithLanguage())) {
      assertThat(languages(next)).hasSize(100).containsOnly("en");

      await().until(() -> count("documents where renderer = " + NEXT_VERSION) == FilledStream.SIZE);
      await().until(() -> count("renderings where complete and renderer = " + NEXT_VERSION) == 1);
    }
  }

  @Test
  void aProcessOfTheEarlierReleaseServesTheDocumentsOfTheNext() throws Exception {
    try (Service next = stream.service().twin(new WithLanguage())) {
      UUID put = UUID.randomUUID();
      next.put(put, Service.capture(stream.workspace()));
      assertThat(
              count(
                  "documents where capture_id = '%s' and renderer = %d"
                      .formatted(put, NEXT_VERSION)))
          .isOne();
      assertThat(languages(next)).hasSize(100);
    }

    assertThat(languages(stream.service())).hasSize(100).containsOnly("en");
    assertThat(count("documents where renderer = " + NEXT_VERSION)).isGreaterThan(100);
  }

  private List<String> languages(Service service) throws Exception {
    List<String> languages = new ArrayList<>();
    for (JsonNode capture :
        JSON.readTree(service.pull(PullAnswers.LIST + "?limit=100", stream.key()).body())
            .path("captures")) {
      languages.add(capture.path("language").asText("none"));
    }
    return languages;
  }

  private long count(String rows) {
    return stream.service().query("select count(*) from " + rows).iterator().next().getLong(0);
  }

  private static final class WithLanguage implements DocumentRenderer {
    private static final String END = ",\"emitted_at\":\"";

    private final DocumentRenderer current = new TranscriptRenderer();

    @Override
    public short version() {
      return NEXT_VERSION;
    }

    @Override
    public byte[] render(Capture capture) {
      String document = new String(current.render(capture), StandardCharsets.UTF_8);
      return document.replace(END, ",\"language\":\"en\"" + END).getBytes(StandardCharsets.UTF_8);
    }
  }
}
