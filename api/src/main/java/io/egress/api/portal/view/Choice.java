package io.egress.api.portal.view;

/** An option of a select field. */
public record Choice(String value, String label, boolean selected) {}
