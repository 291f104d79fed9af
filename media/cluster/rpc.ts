import { z } from 'zod';
import { nothing, type OperationMap, type RequestOf } from '../operations.ts';
import { roomEvents } from '../roomEvents.ts';
import { id, roomOperations } from '../roomOperations.ts';
import { payloadTypes } from '../router/payloadTypes.ts';
import { routerEvent, routerOperations } from '../router/routerOperations.ts';

/*
 * Requests between nodes, and the events of media nodes: the operations of rooms and routers, each with the address of its room or router.
 * Requests about a room carry the owner's epoch, as last known to the sender. Older and newer nodes run side by side, so names and shapes
 * of existing requests stay.
 */

const room = { roomId: id, epoch: z.int().nonnegative() };
const router = { routerId: id };

/** The type of an empty request has no properties, so it cannot be part of an intersection. */
type At<Address, Request> = Request extends Record<string, never> ? Address : Address & Request;

/** A map of operations as requests: with an address in each request, and a prefix before each name. */
type Addressed<Map extends OperationMap, Address extends z.ZodRawShape, Prefix extends string> = {
  [Name in keyof Map & string as `${Prefix}${Name}`]: {
    request: z.ZodType<At<z.output<z.ZodObject<Address>>, RequestOf<Map, Name>>>;
    response: Map[Name]['response'];
  };
};

function addressed<Map extends OperationMap, Address extends z.ZodRawShape, Prefix extends string>(
  operations: Map,
  address: Address,
  prefix: Prefix,
): Addressed<Map, Address, Prefix> {
  const requests = Object.entries(operations).map(([name, { request, response }]) => {
    return [`${prefix}${name}`, { request: request.extend(address), response }];
  });
  return Object.fromEntries(requests) as Addressed<Map, Address, Prefix>;
}

/** The load of the worker that a router is on: that of its peers (PeerLoads.ts), and the share of its core that is in use. */
const workerLoad = z.object({ consumers: z.int().nonnegative(), busy: z.number().nonnegative() });

export const mediaRpc = {
  openRoom: { request: z.strictObject(room), response: nothing },
  closeRoom: { request: z.strictObject(room), response: nothing },
  ...addressed(roomOperations, room, ''),
  'part.open': {
    request: z.strictObject({ ...router, roomId: id, payloadTypes: payloadTypes.optional() }),
    /** Older nodes do not send the number of workers and the load. */
    response: z.object({ workers: z.int().positive().default(1), load: workerLoad.optional() }),
  },
  'part.close': { request: z.strictObject(router), response: nothing },
  /**
   * Lists the routers in use. Other routers of the same owner are closed. The answer names those routers in the list that no longer exist,
   * and the loads of the others. Older nodes do not send the loads.
   */
  'part.keep': {
    request: z.strictObject({ routerIds: z.array(id).max(10_000) }),
    response: z.object({ missing: z.array(id), loads: z.record(id, workerLoad).default({}) }),
  },
  ...addressed(routerOperations, router, 'part.'),
} as const;

/** Events that a media node sends to the signalling nodes of the affected peers, and those of a router, for the owner of its room. */
export const nodeEvents = {
  ...roomEvents,
  /** The room has ended or has another owner. No more events follow. */
  roomClosed: z.object(room),
  router: z.object({ ...router, event: routerEvent }),
} as const;

/** The message for a request that this release does not have. */
export const noSuchRequest = 'There is no such request: this node may run an older version.';

export type RpcName = keyof typeof mediaRpc;
export type RpcRequest<Name extends RpcName> = z.output<(typeof mediaRpc)[Name]['request']>;
export type RpcResponse<Name extends RpcName> = z.output<(typeof mediaRpc)[Name]['response']>;
export type NodeEventName = keyof typeof nodeEvents;
export type NodeEvent = { [Name in NodeEventName]: z.output<(typeof nodeEvents)[Name]> };
export type EmitNodeEvent = <Name extends NodeEventName>(name: Name, payload: NodeEvent[Name]) => void;
