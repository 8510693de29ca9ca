/** One attempt to deliver a webhook: what is sent, how it is signed, and what came of it. */
@NullMarked
package io.egress.send;

import org.jspecify.annotations.NullMarked;
