package io.egress.api.portal.view;

/**
 * The confirmation of an irreversible action.
 *
 * @param action the URL that the form is sent to
 * @param back the URL of the link to cancel
 */
public record Confirmation(String text, String action, String button, String back) {}
