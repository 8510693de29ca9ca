package io.egress.api.portal.view;

import java.util.Map;

/**
 * The confirmation of an action.
 *
 * @param action the URL that the form is sent to
 * @param button its label; empty if there is nothing to do
 * @param style a class of the style sheet
 * @param fields what else the form sends
 * @param back the URL of the link to cancel
 */
public record Confirmation(
    String text,
    String action,
    String button,
    String style,
    Map<String, String> fields,
    String back) {
  public Confirmation {
    fields = Map.copyOf(fields);
  }

  /** Of an irreversible action. */
  public static Confirmation irreversible(String text, String action, String button, String back) {
    return new Confirmation(text, action, button, "danger", Map.of(), back);
  }

  public static Confirmation nothingToDo(String text, String back) {
    return new Confirmation(text, "", "", "", Map.of(), back);
  }
}
