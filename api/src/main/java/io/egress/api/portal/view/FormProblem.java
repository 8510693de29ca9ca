package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * Why a form was not accepted.
 *
 * @param text everything that is wrong, in the words of the form
 * @param fields what is wrong with a field, by its name
 * @param typed what was typed, by the name of the field; without secrets
 */
public record FormProblem(String text, Map<String, String> fields, Map<String, String> typed) {
  public FormProblem {
    requireNonNull(text, "text is null");
    fields = Map.copyOf(fields);
    typed = Map.copyOf(typed);
  }

  @Override
  public String toString() {
    return "FormProblem[" + text + "]";
  }
}
