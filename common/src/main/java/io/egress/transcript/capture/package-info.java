@NullMarked
package io.egress.transcript.capture;

import org.jspecify.annotations.NullMarked;
