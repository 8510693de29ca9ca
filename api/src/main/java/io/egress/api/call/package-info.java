/**
 * Calls that are answered by straight-line code: an operation takes a {@link
 * io.egress.api.call.Call} and returns an {@link io.egress.api.call.Answer}. It runs on a virtual
 * thread and may wait.
 */
@NullMarked
package io.egress.api.call;

import org.jspecify.annotations.NullMarked;
