@NullMarked
package io.egress.standalone.run;

import org.jspecify.annotations.NullMarked;
