package io.egress.api.portal.view;

/**
 * What is asked before something that cannot be taken back.
 *
 * @param action where the form goes; what it does is on {@code button}
 * @param back where to go instead
 */
public record Confirmation(String text, String action, String button, String back) {}
