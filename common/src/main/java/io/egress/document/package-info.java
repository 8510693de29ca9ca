@NullMarked
package io.egress.document;

import org.jspecify.annotations.NullMarked;
