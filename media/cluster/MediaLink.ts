import { unreachable } from '../router/unreachable.ts';
import type { MediaNode } from './MediaNode.ts';
import type { RpcName, RpcRequest, RpcResponse, EmitNodeEvent } from './rpc.ts';

/** A signalling node's way to one media node: in this process, or over the network (SocketLink). */
export interface MediaLink {
  /**
   * @throws ParleyError as the node says; SERVICE_UNAVAILABLE when it can't be reached, does not answer in time, or dies before
   * it has answered
   */
  call<Name extends RpcName>(name: Name, request: RpcRequest<Name>): Promise<RpcResponse<Name>>;
  close(): void;
}

/** Who does not answer within this is not waited for any longer. */
export const answerMs = 5_000;

/** The way to the media of this very process. */
export function inProcessLink(node: MediaNode, home: string, tell: EmitNodeEvent): MediaLink {
  const detach = node.attach(home, tell);
  return { call: (name, request) => inTime(node.handle(home, name, request)), close: detach };
}

/** A worker may hang here, too. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unreachable()), answerMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
