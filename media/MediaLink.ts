import { ParleyError } from '../sdk/protocol/errors.ts';
import type { MediaNode } from './MediaNode.ts';
import type { RpcName, RpcRequest, RpcResponse, TellNews } from './rpc.ts';

/** A signalling node's way to one media node: in this process, or over the network (SocketLink). */
export interface MediaLink {
  /**
   * @throws ParleyError as the node says; SERVICE_UNAVAILABLE when it can't be reached, does not answer in time, or dies before
   * it has answered
   */
  call<Name extends RpcName>(name: Name, request: RpcRequest<Name>): Promise<RpcResponse<Name>>;
  close(): void;
}

/** The way to the media of this very process. */
export function inProcessLink(node: MediaNode, home: string, tell: TellNews): MediaLink {
  const detach = node.attach(home, tell);
  return { call: (name, request) => node.handle(home, name, request), close: detach };
}

/** The way to a node is gone, and with it perhaps the node. */
export const unreachable = (cause?: unknown) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The media node of this room can’t be reached: try again in a moment.',
    {
      reason: unreachableReason,
      retryAfter: 1,
      cause,
    },
  );

const unreachableReason = 'media_node_unreachable';

export const isUnreachable = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === unreachableReason;
