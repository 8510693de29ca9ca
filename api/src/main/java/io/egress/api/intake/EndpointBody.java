package io.egress.api.intake;

import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointLimits;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.send.Envelope.Event;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of calls on endpoints. An IP address in the URL is checked immediately; the addresses
 * of a host name can only be checked when connecting.
 */
public final class EndpointBody {
  private static final int DESCRIPTION_CHARACTERS_MAX = 1_000;
  private static final Shape CREATION =
      Shape.of(
          "url",
          "description",
          "full_history",
          "headers.*",
          "max_per_second",
          "max_in_flight",
          "client_certificate.certificate",
          "client_certificate.key",
          "standard_webhooks",
          "events.[]");

  /** A chain of several certificates of 4,096 bits. */
  private static final int PEM_CHARACTERS_MAX = 16_384;

  private static final Shape ROTATION = Shape.of("overlap");
  private static final Duration OVERLAP_DEFAULT = Duration.ofHours(24);
  private static final Duration OVERLAP_MAX = Duration.ofDays(30);
  private static final List<String> CHANGED =
      List.of(
          "url",
          "description",
          "paused",
          "headers",
          "max_per_second",
          "max_in_flight",
          "client_certificate",
          "standard_webhooks",
          "events");
  private static final Shape CHANGE =
      Shape.of(
          "url",
          "description",
          "paused",
          "headers.*",
          "max_per_second",
          "max_in_flight",
          "client_certificate.certificate",
          "client_certificate.key",
          "standard_webhooks",
          "events.[]");

  private static final Set<String> EVENTS =
      Arrays.stream(Event.values()).map(Event::word).collect(Collectors.toUnmodifiableSet());

  private final boolean allowHttp;
  private final AddressPolicy addresses;

  public EndpointBody(boolean allowHttp, AddressPolicy addresses) {
    this.allowHttp = allowHttp;
    this.addresses = addresses;
  }

  public Intake<NewEndpoint> creation(GivenBody body) {
    return Intake.read(
        body,
        CREATION,
        fields ->
            new NewEndpoint(
                url(fields),
                description(fields),
                fields.optionalFlag("full_history", false),
                headers(fields),
                limits(fields),
                certificate(fields),
                fields.optionalFlag("standard_webhooks", false),
                Boolean.TRUE.equals(erasures(fields))));
  }

  public Intake<EndpointChange> change(GivenBody body) {
    return Intake.read(
        body,
        CHANGE,
        fields -> {
          if (CHANGED.stream().noneMatch(fields::has)) {
            fields.faultOfAll("at least one of " + String.join(", ", CHANGED) + " is required");
          }
          return new EndpointChange(
              fields.has("url") ? url(fields) : null,
              fields.has("description"),
              description(fields),
              fields.has("paused") ? fields.flag("paused") : null,
              fields.has("headers") ? headerChange(fields) : null,
              fields.has("max_per_second"),
              fields.has("max_in_flight"),
              limits(fields),
              fields.has("client_certificate"),
              certificate(fields),
              fields.has("standard_webhooks") ? fields.flag("standard_webhooks") : null,
              erasures(fields));
        });
  }

  /** Whether capture.erased is among the events; null if they are not given. */
  private static @Nullable Boolean erasures(Fields fields) {
    Set<String> events = fields.optionalWords("events", EVENTS);
    if (events == null) {
      if (fields.has("events") && fields.isSound("events")) {
        fields.fault("events", "must not be null");
      }
      return null;
    }
    if (!events.contains(Event.CAPTURE_PROCESSED.word())) {
      fields.fault("events", "must contain " + Event.CAPTURE_PROCESSED.word());
    }
    return events.contains(Event.CAPTURE_ERASED.word());
  }

  private static EndpointLimits limits(Fields fields) {
    return new EndpointLimits(
        limit(fields, "max_per_second", EndpointLimits.PER_SECOND_MAX),
        limit(fields, "max_in_flight", EndpointLimits.IN_FLIGHT_MAX));
  }

  private static @Nullable Integer limit(Fields fields, String name, int max) {
    Long given = fields.optionalWhole(name, 1, max);
    return given == null ? null : given.intValue();
  }

  private static @Nullable ClientCertificate certificate(Fields fields) {
    Fields given = fields.optionalObject("client_certificate");
    if (given == null) {
      return null;
    }
    String chain = given.text("certificate", PEM_CHARACTERS_MAX);
    String key = given.text("key", PEM_CHARACTERS_MAX);
    if (given.isSound("certificate") && given.isSound("key")) {
      try {
        return ClientCertificate.of(chain, key, Instant.now());
      } catch (IllegalArgumentException unusable) {
        fields.fault("client_certificate", String.valueOf(unusable.getMessage()));
      }
    }
    return null;
  }

  private static CustomHeaders headers(Fields fields) {
    CustomHeaders headers = CustomHeaders.NONE.with(headerChange(fields).values());
    String problem = headers.problem();
    if (problem != null) {
      fields.fault("headers", problem);
    }
    return headers;
  }

  /** A JSON merge patch: absent names are unchanged; null removes one header, or all of them. */
  private static HeaderChange headerChange(Fields fields) {
    Fields given = fields.optionalObject("headers");
    if (given == null) {
      return new HeaderChange(true, Map.of());
    }
    Map<String, Optional<String>> values = new HashMap<>();
    for (String name : given.names()) {
      String problem = CustomHeaders.problemOfName(name);
      if (problem != null) {
        given.fault(SafeText.plain(name), problem);
        continue;
      }
      String value = given.optionalAnyText(name, Integer.MAX_VALUE);
      String fault = value == null ? null : CustomHeaders.problemOfValue(value);
      if (fault != null) {
        given.fault(name, fault);
      } else if (values.put(CustomHeaders.canonical(name), Optional.ofNullable(value)) != null) {
        given.fault(name, "is given twice");
      }
    }
    return new HeaderChange(false, values);
  }

  /** How long the previous secret keeps signing. */
  public static Intake<Duration> rotation(GivenBody body) {
    return Intake.read(body, ROTATION, EndpointBody::overlap);
  }

  private static Duration overlap(Fields fields) {
    Duration overlap = fields.optionalDuration("overlap", Duration.ZERO, OVERLAP_MAX);
    return overlap == null ? OVERLAP_DEFAULT : overlap;
  }

  private static @Nullable String description(Fields fields) {
    return fields.optionalText("description", DESCRIPTION_CHARACTERS_MAX);
  }

  /** In canonical form. */
  private String url(Fields fields) {
    String text = fields.text("url", Integer.MAX_VALUE);
    if (text.isBlank()) {
      return text;
    }
    EndpointUrl.Parsed parsed = EndpointUrl.parse(text, allowHttp);
    if (parsed instanceof EndpointUrl.Parsed.Invalid invalid) {
      invalid.problems().forEach(problem -> fields.fault("url", problem));
      return text;
    }
    EndpointUrl url = ((EndpointUrl.Parsed.Valid) parsed).url();
    InetAddress literal = url.literalAddress();
    String refusal = literal == null ? null : addresses.refusal(literal);
    if (refusal != null) {
      fields.fault("url", "the address must be public: " + refusal);
    }
    String unusable = url.refusal(addresses);
    if (unusable != null) {
      fields.fault("url", unusable);
    }
    return url.toString();
  }
}
