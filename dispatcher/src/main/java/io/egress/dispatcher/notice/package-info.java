/** What the operator is told by webhook. */
@NullMarked
package io.egress.dispatcher.notice;

import org.jspecify.annotations.NullMarked;
