package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A capture is read as what the reader accepts. */
class DocumentFormsTest {
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static final UUID CAPTURE = UUID.randomUUID();

  private static Service service;
  private static String key = "";

  @BeforeAll
  static void start() {
    service = Service.start();
    service.put(CAPTURE, Service.capture(WORKSPACE).put("title", "Grüße 日本"));
    key = service.mintKey(WORKSPACE);
    await().until(() -> read("*/*").statusCode() == 200);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/plain | text/plain; charset=utf-8 | Grüße 日本",
        "text/markdown | text/markdown; charset=utf-8 | # Grüße 日本",
        "text/vtt | text/vtt; charset=utf-8 | WEBVTT",
        "application/x-subrip | application/x-subrip; charset=utf-8 | -->",
        "TEXT/VTT;q=0.5 | text/vtt; charset=utf-8 | WEBVTT",
        "text/* | text/plain; charset=utf-8 | Grüße 日本",
        "text/vtt, application/json;q=0.9 | text/vtt; charset=utf-8 | WEBVTT",
        "text/vtt, application/json | application/json | \"title\":\"Grüße 日本\"",
        "text/html, */*;q=0.1 | application/json | \"title\"",
        "application/json;q=0, */* | text/plain; charset=utf-8 | Grüße 日本",
        "*/* | application/json | \"title\""
      })
  void isWhatIsAcceptedMost(String accept, String type, String content) {
    HttpResponse<String> answer = read(accept);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains(type);
    assertThat(answer.headers().firstValue("vary")).contains("accept, accept-encoding");
    assertThat(answer.body()).contains(content);
  }

  @Test
  void eachFormHasATagOfItsOwn() {
    String tag = read("text/vtt").headers().firstValue("etag").orElseThrow();

    assertThat(tag).isNotEqualTo(read("application/json").headers().firstValue("etag").orElse(""));
    assertThat(Service.send(request("text/vtt").header("if-none-match", tag)).statusCode())
        .isEqualTo(304);
    assertThat(Service.send(request("text/markdown").header("if-none-match", tag)).statusCode())
        .isEqualTo(200);
  }

  @Test
  void whatIsNotOfferedIsRefused() {
    HttpResponse<String> answer = read("text/html");

    assertThat(answer.statusCode()).isEqualTo(406);
    assertThat(answer.body()).contains("text/plain, text/markdown, text/vtt, application/x-subrip");
    assertThat(read("application/json;q=0").statusCode()).isEqualTo(406);
  }

  @Test
  void anErasedCaptureIsGoneInEveryForm() {
    UUID erased = UUID.randomUUID();
    service.put(erased, Service.capture(WORKSPACE));
    await().until(() -> read("text/vtt", erased).statusCode() == 200);
    service.internal("DELETE", "/internal/v1/captures/" + erased, "{\"reason\":\"requested\"}");

    assertThat(read("text/vtt", erased).statusCode()).isEqualTo(410);
  }

  private static HttpResponse<String> read(String accept) {
    return read(accept, CAPTURE);
  }

  private static HttpResponse<String> read(String accept, UUID capture) {
    return Service.send(request(accept, capture));
  }

  private static HttpRequest.Builder request(String accept) {
    return request(accept, CAPTURE);
  }

  private static HttpRequest.Builder request(String accept, UUID capture) {
    return HttpRequest.newBuilder(URI.create(service.publicUrl("/api/v1/captures/" + capture)))
        .header("authorization", "Bearer " + key)
        .header("accept", accept);
  }
}
