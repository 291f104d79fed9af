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
 * Defines the handler of one request. RequestDispatcher parses, limits, acknowledges and logs; a handler returns its answer or throws
 * a ParleyError, and neither catches nor emits.
 */
export function defineHandler<Name extends RequestName>(
  name: Name,
  run: (context: HandlerContext<Name>) => Promise<ResponseOf<Name>>,
): Handler {
  return { name, run: run };
}
