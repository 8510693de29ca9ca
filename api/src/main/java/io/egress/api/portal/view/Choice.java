package io.egress.api.portal.view;

/** An option of a list to choose from. */
public record Choice(String value, String label, boolean selected) {}
