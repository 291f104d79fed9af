import type { RequestName, RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext, ParleySocket } from './RequestContext.ts';

export interface HandlerContext<Name extends RequestName> {
  context: RequestContext;
  /** Parsed by the request's schema. */
  payload: RequestOf<Name>;
  socket: ParleySocket;
}

export interface Handler {
  name: RequestName;
  run: (context: HandlerContext<RequestName>) => Promise<unknown>;
}

/**
 * What a request does. Parsing, limits, errors, acknowledgement and logging are the door's (Door.ts); a handler returns its
 * answer or throws a ParleyError, and neither catches nor emits.
 */
export function defineHandler<Name extends RequestName>(
  name: Name,
  run: (context: HandlerContext<Name>) => Promise<ResponseOf<Name>>,
): Handler {
  return { name, run: run };
}
