@NullMarked
package io.egress.api.admin.keys;

import org.jspecify.annotations.NullMarked;
