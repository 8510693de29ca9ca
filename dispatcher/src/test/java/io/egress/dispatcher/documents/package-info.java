@NullMarked
package io.egress.dispatcher.documents;

import org.jspecify.annotations.NullMarked;
