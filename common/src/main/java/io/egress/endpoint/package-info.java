/** What may be called at a client's endpoint, and what is sent there is signed with. */
@NullMarked
package io.egress.endpoint;

import org.jspecify.annotations.NullMarked;
