package io.egress.api.call;

/** Answers a call. A {@link io.egress.platform.http.Refusal} that it throws becomes the answer. */
public interface Operation {
  Answer answer(Call call);
}
