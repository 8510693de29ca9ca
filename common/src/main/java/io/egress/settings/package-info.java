@NullMarked
package io.egress.settings;

import org.jspecify.annotations.NullMarked;
