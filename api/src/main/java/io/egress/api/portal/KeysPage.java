package io.egress.api.portal;

import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.admin.keys.Readers;
import io.egress.api.call.Answer;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.KeyBody;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.Confirmation;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.ShownSecret;
import io.egress.platform.http.Refusal;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The API keys of a workspace. */
final class KeysPage {
  private static final String TITLE = "API keys";
  private static final String PLACE = "keys";

  private final PageRenderer pages;
  private final ApiKeys keys;
  private final Readers readers;
  private final Clock clock;

  KeysPage(PageRenderer pages, ApiKeys keys, Readers readers, Clock clock) {
    this.pages = pages;
    this.keys = keys;
    this.readers = readers;
    this.clock = clock;
  }

  Answer list(Visit visit) {
    return page(visit, 200, null);
  }

  Answer ask(Visit visit) {
    return form(visit, 200, null);
  }

  private Answer form(Visit visit, int status, @Nullable FormProblem problem) {
    Frame frame = pages.frame(visit, "Create an API key", PLACE).withProblem(problem);
    return pages.page(status, "key-new", Map.of("frame", frame));
  }

  Answer mint(Visit visit) {
    PortalForm form = visit.form();
    JsonObject body = new JsonObject().put("name", form.text("name"));
    for (String field : List.of("expires_in", "expect_within")) {
      if (!form.text(field).isEmpty()) {
        body.put(field, form.text(field));
      }
    }
    body.put("filter", FilterForm.body(form));
    return Forms.orExplain(
        form,
        () -> {
          KeyBody.NewKey key = Forms.accepted(KeyBody.read(GivenBody.of(body)));
          ApiKeys.Minted minted = keys.mint(visit.caller(), visit.workspaceId(), key);
          return page(
              visit,
              201,
              new ShownSecret(
                  "Key “" + minted.name() + "” created",
                  minted.key(),
                  "Copy it now: it is shown only once. Clients send it as"
                      + " Authorization: Bearer, followed by the key.",
                  null,
                  List.of()));
        },
        (status, problem) -> form(visit, status, problem));
  }

  /** Shows the forms for changing when a key expires, and how often it is expected to pull. */
  Answer askChange(Visit visit) {
    return changePage(visit, 200, null);
  }

  Answer changeExpiry(Visit visit) {
    PortalForm form = visit.form();
    JsonObject body = new JsonObject().put("extend", form.isChecked("extend"));
    switch (form.text("expires_in")) {
      case "never" -> body.putNull("expires_at");
      case "" -> body.put("expires_at", LocalTimes.instant(form.text("expires_at")));
      default -> body.put("expires_in", form.text("expires_in"));
    }
    return change(visit, body, "key-changed");
  }

  Answer changeExpectation(Visit visit) {
    String within = visit.form().text("expect_within");
    JsonObject body = new JsonObject().put("expect_within", within.isEmpty() ? null : within);
    return change(visit, body, "key-expected");
  }

  private Answer change(Visit visit, JsonObject body, String done) {
    return Forms.orExplain(
        visit.form(),
        () -> {
          KeyBody.Change change = Forms.accepted(KeyBody.change(GivenBody.of(body)));
          keys.change(visit.caller(), visit.workspaceId(), visit.id(), change);
          return Answer.seeOther(pages.base(visit) + "/keys?done=" + done);
        },
        (status, problem) -> changePage(visit, status, problem));
  }

  private Answer changePage(Visit visit, int status, @Nullable FormProblem problem) {
    Frame frame = pages.frame(visit, "Change a key", PLACE).withProblem(problem);
    return pages.page(status, "key-change", Map.of("frame", frame, "key", key(visit)));
  }

  private ApiKeys.ListedKey key(Visit visit) {
    UUID id = visit.id();
    return keys.list(visit.workspaceId()).stream()
        .filter(each -> each.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new Refusal(404, "There is no such key."));
  }

  Answer confirmDeletion(Visit visit) {
    ApiKeys.ListedKey key = key(visit);
    Frame frame = pages.frame(visit, "Delete an API key", PLACE);
    String path = frame.base() + "/keys";
    return pages.confirm(
        frame,
        Confirmation.irreversible(
            "Delete the key “%s”, which ends with %s? Requests with it are rejected immediately. This cannot be undone."
                .formatted(key.name(), key.lastFour()),
            path + "/" + key.id() + "/delete",
            "Delete key",
            path));
  }

  Answer delete(Visit visit) {
    keys.delete(visit.caller(), visit.workspaceId(), visit.id());
    return Answer.seeOther(pages.base(visit) + "/keys?done=key-deleted");
  }

  private Answer page(Visit visit, int status, @Nullable ShownSecret secret) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("frame", pages.frame(visit, TITLE, PLACE));
    parameters.put("keys", keys.list(visit.workspaceId()));
    Instant now = clock.instant();
    Map<UUID, String> reading = new HashMap<>();
    readers
        .ofKeys(visit.workspaceId())
        .forEach((key, place) -> reading.put(key, ReadingText.of(place, now)));
    parameters.put("reading", reading);
    parameters.put("secret", secret);
    parameters.put("now", now);
    return pages.page(status, "keys", parameters);
  }
}
