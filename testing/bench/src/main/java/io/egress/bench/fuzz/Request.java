package io.egress.bench.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * The parts of an HTTP/1.1 request. Text has one byte per character (ISO 8859-1), so that any byte
 * can occur anywhere.
 *
 * @param headers without those that frame the body
 */
record Request(String method, String target, List<Header> headers, String body) {
  record Header(String name, String value) {}

  Request {
    headers = List.copyOf(headers);
  }

  Request withMethod(String changed) {
    return new Request(changed, target, headers, body);
  }

  Request withTarget(String changed) {
    return new Request(method, changed, headers, body);
  }

  Request withHeaders(List<Header> changed) {
    return new Request(method, target, changed, body);
  }

  Request withHeader(String name, String value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, value));
    return withHeaders(more);
  }

  Request withBody(String changed) {
    return new Request(method, target, headers, changed);
  }

  /** Framed like a real client's request. */
  String text() {
    return body.isEmpty()
        ? text("")
        : withHeader("content-length", Integer.toString(body.length())).text(body);
  }

  /** With {@code framed} appended to the headers. */
  String text(String framed) {
    StringBuilder text = new StringBuilder();
    text.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
    for (Header header : headers) {
      text.append(header.name).append(": ").append(header.value).append("\r\n");
    }
    return text.append("\r\n").append(framed).toString();
  }
}
