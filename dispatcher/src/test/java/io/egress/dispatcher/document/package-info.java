@NullMarked
package io.egress.dispatcher.document;

import org.jspecify.annotations.NullMarked;
