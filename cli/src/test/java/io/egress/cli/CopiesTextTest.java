package io.egress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class CopiesTextTest {
  private static final JsonObject COPIES =
      new JsonObject()
          .put(
              "keys",
              new JsonArray()
                  .add(
                      new JsonObject()
                          .put("key_id", "k")
                          .put("name", "=cmd(\"x\"), etl")
                          .put("last_four", "abcd")
                          .put("sent", "possibly")
                          .put("reads_by_id", true)
                          .put("last_used_at", "2026-11-26T10:00:00.000Z")
                          .putNull("ended_at")
                          .put("told", false)))
          .put(
              "endpoints",
              new JsonArray()
                  .add(
                      new JsonObject()
                          .put("endpoint_id", "e")
                          .put("url", "https://crm.example.com/hook")
                          .putNull("description")
                          .put("sent", "yes")
                          .put("unreached", false)
                          .putNull("delivered_at")
                          .put("day", "2026-09-01")
                          .put("revision", 3)
                          .putNull("updated_at")
                          .put("erased_at", "2026-11-27T10:00:00.000Z")
                          .putNull("deleted_at")
                          .put("told", true)));

  @Test
  void aFileHasALineForEachHolder() {
    assertThat(CopiesText.csv(CopiesText.rows(COPIES)).lines())
        .containsExactly(
            "kind,who,id,sent,at,revision,told,told_at,ended_at",
            "key,\"key =cmd(\"\"x\"\"), etl (abcd)\",k,\"possibly, by id\",2026-11-26T10:00:00.000Z,,no,,",
            "endpoint,endpoint crm.example.com,e,\"yes, 2026-09-01\",,3,yes,2026-11-27T10:00:00.000Z,");
  }

  @Test
  void aSpreadsheetTakesNothingForAFormula() {
    JsonArray rows =
        new JsonArray().add(new JsonObject().put("kind", "key").put("who", "=1+1").put("id", "@x"));

    assertThat(CopiesText.csv(rows).lines()).last().isEqualTo("key,'=1+1,'@x,,,,,,");
  }
}
