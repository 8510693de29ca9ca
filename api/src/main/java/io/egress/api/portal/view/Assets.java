package io.egress.api.portal.view;

/** Paths of the files that pages refer to. */
public record Assets(String stylesheet, String htmx, String script, String icon) {}
