package io.egress.platform.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;

/** Writes lines in the configured format. */
public final class LineEncoder extends EncoderBase<ILoggingEvent> {
  /** Formats an event, without the line end. */
  interface Form {
    String write(ILoggingEvent event);
  }

  private static final byte[] NOTHING = new byte[0];

  private final Form form;

  public LineEncoder() {
    this(LogSettings.orDefaults(System.getenv()).format());
  }

  LineEncoder(LogSettings.Format format) {
    this.form = format == LogSettings.Format.JSON ? new JsonForm() : new TextForm();
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return (form.write(event) + System.lineSeparator()).getBytes(UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
