import { SocketLink } from '../../../media/cluster/SocketLink.ts';
import type { RpcName, RpcRequest } from '../../../media/cluster/rpc.ts';
import { unreachable } from '../../../media/router/unreachable.ts';

/**
 * Loses the answer to the next request with this name from one node of this process to another, after the other node has executed it.
 * @returns when the answer was lost
 */
export function loseAnswer(name: RpcName): Promise<void> {
  const { prototype } = SocketLink;
  const original = Reflect.get(prototype, 'call');
  return new Promise((resolve) => {
    Object.assign(prototype, {
      async call(this: SocketLink, asked: RpcName, request: RpcRequest<RpcName>) {
        const answering = original.call(this, asked, request);
        if (asked !== name) return answering;
        Object.assign(prototype, { call: original });
        await answering;
        resolve();
        throw unreachable();
      },
    });
  });
}

/** Loses the next request with this name from one node of this process to another. @returns when it was lost */
export function loseRequest(name: RpcName): Promise<void> {
  const { prototype } = SocketLink;
  const original = Reflect.get(prototype, 'call');
  return new Promise((resolve) => {
    Object.assign(prototype, {
      call(this: SocketLink, asked: RpcName, request: RpcRequest<RpcName>) {
        if (asked !== name) return original.call(this, asked, request);
        Object.assign(prototype, { call: original });
        resolve();
        return Promise.reject(unreachable());
      },
    });
  });
}
