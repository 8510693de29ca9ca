/** One attempt to deliver a webhook: its body, its signature, and its outcome. */
@NullMarked
package io.egress.webhook.send;

import org.jspecify.annotations.NullMarked;
