package io.egress.api.intake;

import static java.util.Objects.requireNonNullElse;

import io.egress.platform.http.SafeText;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.DeliveryMode;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointChange.CertificateChange;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointChange.OAuth2Change;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.Paging;
import io.egress.webhook.endpoint.Payload;
import io.egress.webhook.endpoint.StandardWebhooks;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of calls on endpoints. An IP address in the URL is checked immediately; the addresses
 * of a host name can only be checked when connecting.
 */
public final class EndpointBody {
  private static final int DESCRIPTION_CHARACTERS_MAX = 1_000;
  private static final String[] ALWAYS = {
    "headers.*",
    "max_per_second",
    "max_in_flight",
    "client_certificate.certificate",
    "client_certificate.key",
    "oauth2.token_url",
    "oauth2.client_id",
    "oauth2.client_secret",
    "oauth2.scope",
    "oauth2.audience",
    "standard_webhooks",
    "events.[]",
    "payload",
    "compress"
  };
  private static final Shape CREATION =
      shape("full_history", "paused", "delivery", "batch", "max_body", "from");
  private static final Shape CHANGE = shape("paused");
  private static final Shape CLONE =
      Shape.of("full_history", "delivery", "batch", "max_body", "from");

  /** The base of a new endpoint, and of a change whose endpoint is not known yet. */
  private static final EndpointSpec NOTHING = EndpointSpec.of("");

  /** A chain of several certificates of 4,096 bits. */
  private static final int PEM_CHARACTERS_MAX = 16_384;

  private static final int OAUTH2_CHARACTERS_MAX = 2_048;
  private static final int PAYLOAD_CHARACTERS_MAX = 20;
  private static final List<String> ONLY_OF_STREAM = List.of("batch", "max_body");

  private static final Shape ROTATION = Shape.of("overlap");
  private static final Duration OVERLAP_DEFAULT = Duration.ofHours(24);
  private static final Duration OVERLAP_MAX = Duration.ofDays(30);
  private final boolean allowHttp;
  private final AddressPolicy addresses;

  public EndpointBody(boolean allowHttp, AddressPolicy addresses) {
    this.allowHttp = allowHttp;
    this.addresses = addresses;
  }

  private static Shape shape(String... alone) {
    return Shape.of(
        Stream.of(
                Stream.of("url", "description"),
                Stream.of(alone),
                Stream.of(ALWAYS),
                FilterBody.PATHS.stream())
            .flatMap(paths -> paths));
  }

  public Intake<NewEndpoint> creation(GivenBody body) {
    return Intake.read(
        body,
        CREATION,
        fields -> {
          EndpointSpec spec = spec(fields, NOTHING);
          if (!fields.has("url")) {
            url(fields, "url");
          }
          NewEndpoint.Start start = start(fields);
          Paging.Wanted stream = stream(fields, Paging.NONE);
          return new NewEndpoint(
              spec,
              start,
              fields.optionalFlag("paused", false),
              headers(fields),
              certificate(fields),
              oauth2(fields),
              stream);
        });
  }

  /** How a clone begins. {@code stream} is null unless it is sent the stream itself. */
  public record Clone(NewEndpoint.Start start, Paging.@Nullable Wanted stream) {}

  /** What is absent is as in the original. */
  public static Intake<Clone> clone(GivenBody body, Paging original) {
    return Intake.read(body, CLONE, fields -> new Clone(start(fields), stream(fields, original)));
  }

  /** A merge patch: what is absent stays as it is. */
  public Intake<EndpointChange> change(GivenBody body) {
    return Intake.read(
        body,
        CHANGE,
        fields -> {
          if (CHANGE.names().stream().noneMatch(fields::has)) {
            fields.faultOfAll(
                "at least one of " + String.join(", ", CHANGE.names()) + " is required");
          }
          spec(fields, NOTHING);
          return new EndpointChange(
              before -> spec(fields, before),
              fields.has("paused") ? fields.flag("paused") : null,
              fields.has("headers") ? headerChange(fields) : null,
              fields.has("client_certificate") ? new CertificateChange(certificate(fields)) : null,
              fields.has("oauth2") ? new OAuth2Change(oauth2(fields)) : null,
              fields.has("filter"));
        });
  }

  /**
   * Null unless the endpoint is to be sent the stream itself. What is absent is as {@code
   * otherwise}.
   */
  private static Paging.@Nullable Wanted stream(Fields fields, Paging otherwise) {
    if (mode(fields, otherwise.delivery()) == DeliveryMode.EACH) {
      ONLY_OF_STREAM.stream()
          .filter(fields::hasValue)
          .forEach(name -> fields.fault(name, "is only for the delivery stream"));
      return null;
    }
    Long batch = fields.optionalWhole("batch", 1, Paging.BATCH_MAX);
    Long maxBody = fields.optionalWhole("max_body", Paging.MAX_BODY_MIN, Paging.MAX_BODY_MAX);
    return new Paging.Wanted(
        batch == null ? requireNonNullElse(otherwise.batch(), Paging.BATCH_MAX) : batch.intValue(),
        maxBody == null
            ? requireNonNullElse(otherwise.maxBody(), Paging.MAX_BODY_DEFAULT)
            : maxBody.intValue());
  }

  private static NewEndpoint.Start start(Fields fields) {
    boolean fullHistory = fields.optionalFlag("full_history", false);
    Instant from = fields.optionalInstant("from");
    if (from != null && fullHistory) {
      fields.fault("from", "cannot be combined with full_history");
    }
    return new NewEndpoint.Start(fullHistory, from);
  }

  private static DeliveryMode mode(Fields fields, DeliveryMode otherwise) {
    if (!fields.has("delivery")) {
      return otherwise;
    }
    String word = fields.text("delivery", PAYLOAD_CHARACTERS_MAX);
    Optional<DeliveryMode> mode = DeliveryMode.find(word);
    if (mode.isEmpty() && fields.isSound("delivery")) {
      fields.fault("delivery", "must be " + String.join(" or ", DeliveryMode.words()));
    }
    return mode.orElse(DeliveryMode.EACH);
  }

  private EndpointSpec spec(Fields fields, EndpointSpec before) {
    return new EndpointSpec(
        fields.has("url") ? url(fields, "url") : before.url(),
        fields.has("description") ? description(fields) : before.description(),
        fields.has("max_per_second")
            ? limit(fields, "max_per_second", EndpointSpec.PER_SECOND_MAX)
            : before.maxPerSecond(),
        fields.has("max_in_flight")
            ? limit(fields, "max_in_flight", EndpointSpec.IN_FLIGHT_MAX)
            : before.maxInFlight(),
        fields.has("standard_webhooks") ? standardWebhooks(fields) : before.standardWebhooks(),
        fields.has("events") ? events(fields) : before.events(),
        fields.has("payload") ? payload(fields) : before.payload(),
        fields.has("compress") ? fields.flag("compress") : before.compress(),
        fields.has("filter") ? FilterBody.read(fields) : before.filter());
  }

  private static StandardWebhooks standardWebhooks(Fields fields) {
    Object value = fields.flagOrWord("standard_webhooks", StandardWebhooks.words());
    return StandardWebhooks.of(value);
  }

  private static Set<Event> events(Fields fields) {
    Set<String> words = fields.optionalWords("events", Set.copyOf(Event.words(Event.OF_CAPTURES)));
    if (words == null) {
      if (fields.isSound("events")) {
        fields.fault("events", "must not be null");
      }
      return Set.of();
    }
    if (!words.contains(Event.CAPTURE_PROCESSED.word())) {
      fields.fault("events", "must contain " + Event.CAPTURE_PROCESSED.word());
    }
    return words.stream()
        .flatMap(word -> Event.find(word).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Payload payload(Fields fields) {
    String word = fields.text("payload", PAYLOAD_CHARACTERS_MAX);
    Optional<Payload> payload = Payload.find(word);
    if (payload.isEmpty() && fields.isSound("payload")) {
      fields.fault("payload", "must be " + String.join(" or ", Payload.words()));
    }
    return payload.orElse(Payload.DOCUMENT);
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

  private @Nullable OAuth2Client oauth2(Fields fields) {
    Fields given = fields.optionalObject("oauth2");
    return given == null
        ? null
        : new OAuth2Client(
            url(given, "token_url"),
            given.text("client_id", OAUTH2_CHARACTERS_MAX),
            given.text("client_secret", OAUTH2_CHARACTERS_MAX),
            given.optionalText("scope", OAUTH2_CHARACTERS_MAX),
            given.optionalText("audience", OAUTH2_CHARACTERS_MAX));
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
    return rotation(body, OVERLAP_DEFAULT);
  }

  /** The same with another default. */
  public static Intake<Duration> rotation(GivenBody body, Duration otherwise) {
    return Intake.read(
        body,
        ROTATION,
        fields -> {
          Duration overlap = fields.optionalDuration("overlap", Duration.ZERO, OVERLAP_MAX);
          return overlap == null ? otherwise : overlap;
        });
  }

  private static @Nullable String description(Fields fields) {
    return fields.optionalText("description", DESCRIPTION_CHARACTERS_MAX);
  }

  /** In canonical form. */
  private String url(Fields fields, String name) {
    String text = fields.text(name, Integer.MAX_VALUE);
    if (text.isBlank()) {
      return text;
    }
    EndpointUrl.Parsed parsed = EndpointUrl.parse(text, allowHttp);
    if (parsed instanceof EndpointUrl.Parsed.Invalid invalid) {
      invalid.problems().forEach(problem -> fields.fault(name, problem));
      return text;
    }
    EndpointUrl url = ((EndpointUrl.Parsed.Valid) parsed).url();
    InetAddress literal = url.literalAddress();
    String refusal = literal == null ? null : addresses.refusal(literal);
    if (refusal != null) {
      fields.fault(name, "the address must be public: " + refusal);
    }
    String unusable = url.refusal(addresses);
    if (unusable != null) {
      fields.fault(name, unusable);
    }
    return url.toString();
  }
}
