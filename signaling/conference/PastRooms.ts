import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { Place } from '../../platform/database/places.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { pastRoomsOf, readableUntil } from './RoomHistory.ts';
import { toRoom } from './toWire.ts';

/** The rooms that a wallet was in or hosted and that have ended. */
export class PastRooms {
  readonly #deps: Pick<ConferenceDeps, 'store' | 'recordings' | 'publicUrl'>;

  constructor(deps: Pick<ConferenceDeps, 'store' | 'recordings' | 'publicUrl'>) {
    this.#deps = deps;
  }

  async list(
    context: RequestContext,
    { limit, cursor }: RequestOf<'conference.past'>,
  ): Promise<ResponseOf<'conference.past'>> {
    const { store, recordings, publicUrl } = this.#deps;
    const before = cursor === undefined ? null : await this.#placeOf(context, cursor);
    const rows = await pastRoomsOf(store.executor, context.wallet, { limit: limit + 1, before });
    const shown = rows.slice(0, limit);
    const recorded = await recordings.ofRooms(
      context,
      shown.map(({ room }) => room.id),
    );
    const chats = shown.map(({ room, member }) => {
      const until = readableUntil(room, context.wallet, member);
      return [room.id, until instanceof Date ? until : until === 'all' ? null : new Date(0)] as const;
    });
    const messages = await store.chat.count(new Map(chats));
    const data = shown.map(({ room, member: { firstJoinedAt, leftAt } }) => ({
      room: toRoom(room, [], publicUrl),
      joinedAt: firstJoinedAt && toIso(firstJoinedAt),
      leftAt: leftAt && toIso(leftAt),
      recordings: recorded.filter(({ roomId }) => roomId === room.id),
      messages: messages.get(room.id) ?? 0,
    }));
    const hasMore = rows.length > limit;
    return { data, hasMore, nextCursor: hasMore ? (data.at(-1)?.room.id ?? null) : null };
  }

  async #placeOf({ wallet }: RequestContext, roomId: string): Promise<Place> {
    const at = (await this.#deps.store.member(roomId, wallet))?.pastAt;
    if (at) return { at, id: roomId };
    const message = 'This is no cursor of this list: pass the nextCursor of the page before.';
    throw new ParleyError('VALIDATION_ERROR', message, {
      details: [{ path: 'cursor', code: 'custom', message }],
    });
  }
}
