import { sql, type SQL } from 'drizzle-orm';
import { channels } from './Notifier.ts';
import type { ParleyServer } from './RequestContext.ts';

/** A connection of this node in the channel of a conference or stream. */
export interface Subscription {
  /** The id of the conference or stream. */
  id: string;
  socket: string;
}

/** Subscriptions as rows `g (id, socket, n)` of a query, numbered from 1. */
export const listed = (subscribed: Subscription[]): SQL => sql`
  unnest(${sql.param(subscribed.map(({ id }) => id))}::text[], ${sql.param(subscribed.map(({ socket }) => socket))}::text[])
    WITH ORDINALITY AS g (id, socket, n)`;

/**
 * Takes connections of this node out of the channels of conferences or streams that they are no longer in. The node that removed them has
 * asked for that, but its request is lost while Redis is away, or if that node dies.
 * @param former returns those of the given subscriptions whose connection is no longer in the conference or stream. Leave out those that have
 * ended: the event of their end may be on its way
 */
export async function unsubscribeFormer(
  io: ParleyServer,
  kind: 'conference' | 'stream',
  former: (subscribed: Subscription[]) => Promise<Subscription[]>,
): Promise<void> {
  const { sockets, adapter } = io.of('/');
  const prefix = channels[kind]('');
  const subscribed = [...adapter.rooms]
    .filter(([channel]) => channel.startsWith(prefix))
    .flatMap(([channel, ids]) => [...ids].map((socket) => ({ id: channel.slice(prefix.length), socket })));
  if (subscribed.length === 0) return;
  const over = await former(subscribed);
  if (over.length === 0) return;
  for (const { id, socket } of over) await sockets.get(socket)?.leave(channels[kind](id));
  // A device that has entered again during the query was taken out by mistake.
  const stillOver = new Set(await former(over));
  for (const one of over)
    if (!stillOver.has(one)) await sockets.get(one.socket)?.join(channels[kind](one.id));
}
