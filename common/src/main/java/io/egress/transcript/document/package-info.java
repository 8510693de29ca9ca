@NullMarked
package io.egress.transcript.document;

import org.jspecify.annotations.NullMarked;
