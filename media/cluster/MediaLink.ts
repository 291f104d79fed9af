import { unreachable } from '../router/unreachable.ts';
import type { MediaNode } from './MediaNode.ts';
import type { RpcName, RpcRequest, RpcResponse, EmitNodeEvent } from './rpc.ts';

/** The connection from a signalling node to one media node: in this process, or over the network (SocketLink). */
export interface MediaLink {
  /**
   * @throws ParleyError from the node; SERVICE_UNAVAILABLE when it can't be reached, does not answer in time, or dies before it has
   * answered
   */
  call<Name extends RpcName>(name: Name, request: RpcRequest<Name>): Promise<RpcResponse<Name>>;
  close(): void;
}

/** The time limit for an answer. */
export const answerMs = 5_000;

/** A link to the media of this process. */
export function inProcessLink(node: MediaNode, home: string, emit: EmitNodeEvent): MediaLink {
  const detach = node.attach(home, emit);
  return { call: (name, request) => withTimeout(node.handle(home, name, request)), close: detach };
}

/** Local calls have a time limit too, because a worker may hang. */
function withTimeout<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unreachable()), answerMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
