package io.egress.api.portal;

import io.egress.api.call.Answer;
import io.egress.api.intake.BodyFaults;
import io.egress.api.intake.Intake;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.view.FormProblem;
import io.egress.platform.http.Refusal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Shared by the pages with forms: errors in the words of the form, beside its fields. */
final class Forms {
  private static final int FIRST_FAULT_OF_OURS = 500;
  private static final String HEADER = "headers.";

  /** Labels of the fields of the internal API. */
  private static final Map<String, String> LABELS =
      Map.ofEntries(
          Map.entry("url", "URL"),
          Map.entry("description", "Description"),
          Map.entry("filter", "Captures"),
          Map.entry("filter.modes", "Captures"),
          Map.entry("filter.devices", "Devices"),
          Map.entry("max_per_second", "Maximum webhooks per second"),
          Map.entry("max_in_flight", "Maximum webhooks at a time"),
          Map.entry("client_certificate", "The certificate and its key:"),
          Map.entry("client_certificate.certificate", "Certificate"),
          Map.entry("client_certificate.key", "Private key"),
          Map.entry("oauth2.token_url", "Token URL"),
          Map.entry("oauth2.client_id", "Client id"),
          Map.entry("oauth2.client_secret", "Client secret"),
          Map.entry("oauth2.scope", "Scope"),
          Map.entry("oauth2.audience", "Audience"),
          Map.entry("name", "Name"),
          Map.entry("expires_in", "Expires"),
          Map.entry("expires_at", "At (UTC)"),
          Map.entry("expect_within", "Expected to pull"),
          Map.entry("overlap", "Overlap"),
          Map.entry("reason", "Reason"),
          Map.entry("from", "From"),
          Map.entry("from_position", "From position"),
          Map.entry("to", "To"));

  /** Fields of forms that have other names than in the internal API. */
  private static final Map<String, List<String>> FIELDS =
      Map.of(
          "filter.modes", List.of("filter"),
          "filter.devices", List.of("filter"),
          "client_certificate", List.of("certificate"),
          "client_certificate.certificate", List.of("certificate"),
          "client_certificate.key", List.of("key"),
          "oauth2.token_url", List.of("token_url"),
          "oauth2.client_id", List.of("client_id"),
          "oauth2.client_secret", List.of("client_secret"),
          "oauth2.scope", List.of("scope"),
          "oauth2.audience", List.of("audience"));

  private static final List<String> FIELDS_OF_HEADERS =
      List.of("headers", "header_name", "header_value");

  /** Not repeated in a page. */
  private static final List<String> SECRET =
      List.of("csrf", "key", "headers", "header_value", "client_secret");

  /** A form with faults. It has no stack trace, because it is a response and not a fault. */
  private static final class FaultyForm extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient BodyFaults faults;

    FaultyForm(BodyFaults faults) {
      super(faults.summary(), null, false, false);
      this.faults = faults;
    }
  }

  private Forms() {}

  /** The value; a form with faults is explained by {@link #orExplain}. */
  static <T> T accepted(Intake<T> intake) {
    if (intake instanceof Intake.Refused<T> refused) {
      throw new FaultyForm(refused.faults());
    }
    return intake.orRefuse();
  }

  /** Shows an error on the form's page. {@code page} receives the status and the problem. */
  static Answer orExplain(
      PortalForm form, Supplier<Answer> work, BiFunction<Integer, FormProblem, Answer> page) {
    try {
      return work.get();
    } catch (FaultyForm faulty) {
      return page.apply(400, problem(faulty.faults, form));
    } catch (Refusal refusal) {
      if (!mayBeRepaired(refusal)) {
        throw refusal;
      }
      return page.apply(
          refusal.status(), new FormProblem(Sentence.of(refusal.reason()), Map.of(), typed(form)));
    }
  }

  private static FormProblem problem(BodyFaults faults, PortalForm form) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (BodyFaults.Fault fault : faults.kept()) {
      for (String field : fields(fault.field())) {
        fields.merge(field, Sentence.of(fault.problem()), (one, other) -> one + " " + other);
      }
    }
    String text = faults.kept().stream().map(Forms::sentence).collect(Collectors.joining(" "));
    return new FormProblem(text, fields, typed(form));
  }

  private static List<String> fields(String field) {
    if (field.isEmpty()) {
      return List.of();
    }
    return field.startsWith(HEADER)
        ? FIELDS_OF_HEADERS
        : FIELDS.getOrDefault(withoutIndex(field), List.of(field));
  }

  /** A form has a list in one field. */
  private static String withoutIndex(String field) {
    return field.replaceFirst("\\[\\d+]$", "");
  }

  private static String sentence(BodyFaults.Fault fault) {
    String field = fault.field();
    if (field.isEmpty()) {
      return fault.problem().startsWith("from_position or from is required")
          ? "Set Since, From or From position, or send only what was given up."
          : Sentence.of(fault.problem());
    }
    String label =
        field.startsWith(HEADER)
            ? "Header " + field.substring(HEADER.length())
            : LABELS.getOrDefault(withoutIndex(field), field);
    return Sentence.of(label + " " + fault.problem());
  }

  private static Map<String, String> typed(PortalForm form) {
    Map<String, String> typed = new LinkedHashMap<>(form.fields());
    typed.keySet().removeAll(SECRET);
    return typed;
  }

  /** 404 and 403 have no form to return to. */
  private static boolean mayBeRepaired(Refusal refusal) {
    return refusal.status() < FIRST_FAULT_OF_OURS
        && refusal.status() != 403
        && refusal.status() != 404;
  }
}
