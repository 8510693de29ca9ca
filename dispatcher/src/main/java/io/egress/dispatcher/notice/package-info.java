/** Webhooks to the operator. */
@NullMarked
package io.egress.dispatcher.notice;

import org.jspecify.annotations.NullMarked;
