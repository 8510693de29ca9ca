package io.egress.settings;

import java.time.Duration;

public record DatabaseSettings(String url, int poolSize, Duration statementTimeout) {}
