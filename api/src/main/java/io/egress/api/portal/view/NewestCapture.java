package io.egress.api.portal.view;

import java.time.Instant;

/** The capture at the head of the stream. */
public record NewestCapture(String title, Instant enteredAt, String age) {}
