package io.egress.cli.mirror;

import io.egress.platform.outage.Reason;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Set;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** What a failed request to a bucket means, in words. */
final class S3Failure {
  private static final Set<String> CREDENTIALS =
      Set.of(
          "InvalidAccessKeyId",
          "SignatureDoesNotMatch",
          "ExpiredToken",
          "InvalidToken",
          "TokenRefreshRequired");
  private static final Set<String> REGION =
      Set.of(
          "PermanentRedirect",
          "TemporaryRedirect",
          "AuthorizationHeaderMalformed",
          "IllegalLocationConstraintException");

  private S3Failure() {}

  static boolean isMissingKey(S3Exception failure) {
    return failure.statusCode() == 404 && !code(failure).equals("NoSuchBucket");
  }

  /** Not that it was too much at once, or that the credentials are wrong. */
  static boolean isRefusal(S3Exception failure) {
    int status = failure.statusCode();
    return (status == 400 || status == 403) && !CREDENTIALS.contains(code(failure));
  }

  static ObjectStoreException of(RuntimeException failure) {
    return new ObjectStoreException(
        failure instanceof S3Exception answer ? answered(answer) : unanswered(failure), failure);
  }

  private static String answered(S3Exception answer) {
    String code = code(answer);
    int status = answer.statusCode();
    if (code.equals("NoSuchBucket")) {
      return "there is no such bucket";
    }
    if (CREDENTIALS.contains(code)) {
      return "the AWS credentials are not accepted (%s)".formatted(said(answer));
    }
    if (REGION.contains(code) || status == 301) {
      return "the bucket is in another region than AWS_REGION or the profile says (%s)"
          .formatted(said(answer));
    }
    if (code.equals("RequestTimeTooSkewed")) {
      return "the clock of this host is wrong (%s)".formatted(said(answer));
    }
    if (status == 403) {
      return "access denied (%s)".formatted(said(answer));
    }
    if (status == 429 || status >= 500) {
      return "the bucket answered %d again and again (%s)".formatted(status, said(answer));
    }
    return "the bucket answered %d (%s)".formatted(status, said(answer));
  }

  private static String code(S3Exception answer) {
    String code = answer.awsErrorDetails() == null ? null : answer.awsErrorDetails().errorCode();
    return code == null ? "" : code;
  }

  private static String said(S3Exception answer) {
    String message =
        answer.awsErrorDetails() == null ? null : answer.awsErrorDetails().errorMessage();
    String code = code(answer).isEmpty() ? "no reason given" : code(answer);
    return message == null || message.isBlank() ? code : code + ": " + message.strip();
  }

  private static String unanswered(RuntimeException failure) {
    String message = failure.getMessage() == null ? "" : failure.getMessage();
    if (message.startsWith("Unable to load credentials from any of the providers")) {
      return "no AWS credentials were found in the environment, in ~/.aws or on this host";
    }
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return switch (cause) {
      case UnknownHostException unknown -> "host name not found: " + unknown.getMessage();
      case ConnectException _ -> "cannot connect to the endpoint";
      case SdkException said -> Reason.of(said);
      default -> Reason.of(cause);
    };
  }
}
