@NullMarked
package io.egress.transcript.stream;

import org.jspecify.annotations.NullMarked;
