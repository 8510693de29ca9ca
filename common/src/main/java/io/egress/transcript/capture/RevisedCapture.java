package io.egress.transcript.capture;

/** The state of a capture at a revision. */
public record RevisedCapture(Capture capture, long revision) {}
