/** Shows and exports the audit log. */
@NullMarked
package io.egress.api.audit;

import org.jspecify.annotations.NullMarked;
