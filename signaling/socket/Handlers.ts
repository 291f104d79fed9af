import type { RequestName, RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { GuestRequestName } from './guestRequests.ts';
import type { GuestContext, RequestContext, ParleySocket } from './RequestContext.ts';

/** What a handler returns. If the answer is empty, it returns nothing. */
type Result<Name extends RequestName> =
  ResponseOf<Name> extends Record<string, never> ? void : ResponseOf<Name>;

/**
 * The handlers of all requests, or of those whose names start with a prefix. RequestDispatcher parses, limits, acknowledges and logs
 * requests. A handler only returns its answer or throws a ParleyError: it does not catch errors, and it emits nothing itself.
 */
export type Handlers<Prefix extends string = string> = {
  readonly [Name in Extract<RequestName, `${Prefix}.${string}`>]: (
    context: Name extends GuestRequestName ? RequestContext | GuestContext : RequestContext,
    /** Already parsed by the request's schema. */
    payload: RequestOf<Name>,
    socket: ParleySocket,
  ) => Promise<Result<Name>>;
};
