@NullMarked
package io.egress.http;

import org.jspecify.annotations.NullMarked;
