import type { RequestName, RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext, ParleySocket } from './RequestContext.ts';

export interface HandlerContext<Name extends RequestName> {
  context: RequestContext;
  /** Already parsed by the request's schema. */
  payload: RequestOf<Name>;
  socket: ParleySocket;
}

export interface Handler {
  name: RequestName;
  run: (context: HandlerContext<RequestName>) => Promise<unknown>;
}

/**
 * Defines the handler of one request. RequestDispatcher parses, limits, acknowledges and logs requests. A handler only returns its answer
 * or throws a ParleyError: it does not catch errors, and it emits nothing itself.
 */
export function defineHandler<Name extends RequestName>(
  name: Name,
  run: (context: HandlerContext<Name>) => Promise<ResponseOf<Name>>,
): Handler {
  return { name, run: run };
}
