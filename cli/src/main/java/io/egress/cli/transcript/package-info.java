/** Reads transcripts of other programs, to put them in as captures. */
@NullMarked
package io.egress.cli.transcript;

import org.jspecify.annotations.NullMarked;
