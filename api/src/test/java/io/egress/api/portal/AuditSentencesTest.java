package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class AuditSentencesTest {
  @Test
  void thereIsASentenceForEachDocumentedAction() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "integrating.md"));
    String list =
        page.substring(page.indexOf("Actions are `"), page.indexOf("Entries are kept forever"));
    Set<String> documented = new TreeSet<>();
    Matcher action = Pattern.compile("`([a-z_]+\\.[a-z_]+)`").matcher(list);
    while (action.find()) {
      documented.add(action.group(1));
    }

    assertThat(new TreeSet<>(AuditSentences.actions())).isEqualTo(documented);
    for (String each : documented) {
      assertThat(AuditSentences.of(each, new JsonObject()))
          .as(each)
          .endsWith(".")
          .doesNotContain("null", "{", "_");
    }
  }

  @Test
  void saysWhatChanged() {
    JsonObject changes =
        new JsonObject()
            .put(
                "url",
                new JsonObject().put("from", "https://a.example").put("to", "https://b.example"))
            .put("max_per_second", new JsonObject().put("from", null).put("to", 5))
            .put(
                "headers",
                new JsonObject()
                    .put("set", new JsonArray().add("x-a").add("x-b"))
                    .put("removed", new JsonArray()))
            .put("standard_webhooks", new JsonObject().put("from", false).put("to", true));

    assertThat(AuditSentences.of("endpoint.changed", changes))
        .isEqualTo(
            "Changed the endpoint: the URL from “https://a.example” to “https://b.example”; the webhooks"
                + " per second from none to 5; the headers set x-a, x-b; signing by Standard Webhooks from"
                + " off to on.");
    assertThat(
            AuditSentences.of(
                "api_key.changed",
                new JsonObject()
                    .put("name", "ETL")
                    .put(
                        "expires_at",
                        new JsonObject().put("from", null).put("to", "2026-12-01T10:00:00.000Z"))))
        .isEqualTo("Changed when the API key “ETL” expires from never to 2026-12-01 10:00:00 UTC.");
  }

  @Test
  void saysWhatALinkMayDo() {
    for (String role : new String[] {"admin", "operator"}) {
      assertThat(AuditSentences.of("portal_session.opened", new JsonObject().put("role", role)))
          .endsWith("by a link, as an " + role + ".");
    }
    assertThat(AuditSentences.of("portal_session.opened", new JsonObject().put("role", "view")))
        .endsWith("by a link, view only.");
  }

  @Test
  void anUnknownActionIsItsWords() {
    assertThat(AuditSentences.of("thing.done_twice", new JsonObject()))
        .isEqualTo("Thing done twice.");
  }
}
