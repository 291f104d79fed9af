import type { WireRoomChat } from '../../sdk/protocol/conference.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ChatRow } from '../chat/chatTable.ts';
import { isBackend, type PartyContext } from '../socket/RequestContext.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { mustHost } from './permissions.ts';
import { denied, notGranted, notInside, over } from './refusals.ts';
import { readableUntil } from './RoomHistory.ts';
import type { RoomRow } from './tables.ts';
import { toChat } from './toWire.ts';

/** The chat of a room. The last 500 messages are kept, also after the room has ended. */
export class ConferenceChat {
  readonly #deps: ConferenceDeps;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
  }

  /**
   * Any device of a participant's wallet may send, not only the one that has joined. A message that is sent again is announced again, because
   * the first request may have failed before it was.
   */
  async send(
    context: PartyContext,
    { roomId, ...message }: RequestOf<'conference.sendChat'>,
  ): Promise<WireRoomChat> {
    const { store, limits } = this.#deps;
    await limits.chat.consume(context);
    return this.announce(
      context,
      await store.changing([roomId], (tx) => this.write(tx, context, roomId, message)),
    );
  }

  /**
   * Stores a message of a participant, or of a backend, which need not be in the room. Call announce() after the transaction.
   * @param message.displayName the name of a backend; a participant has its own
   */
  async write(
    executor: Executor,
    context: PartyContext,
    roomId: string,
    message: { content: string; id?: string | undefined; displayName?: string | undefined },
  ): Promise<ChatRow> {
    const { store } = this.#deps;
    const room = await store.lockRoom(executor, roomId);
    if (room.status === 'ended') throw over();
    const displayName = await this.#authorOf(executor, room, context, message.displayName ?? null);
    const { content } = message;
    const row = { scopeId: roomId, wallet: context.wallet, displayName, content };
    return store.chat.add(executor, row, message.id);
  }

  announce({ socketId }: PartyContext, row: ChatRow): WireRoomChat {
    const message = toChat(row);
    this.#deps.notifier.chat(message, socketId);
    return message;
  }

  /** The name of the sender, if it may write. */
  async #authorOf(
    executor: Executor,
    room: RoomRow,
    context: PartyContext,
    given: string | null,
  ): Promise<string | null> {
    const { store } = this.#deps;
    if (isBackend(context)) {
      await mustHost(store, executor, room, context);
      return given;
    }
    const member = await store.own(room.id, context, executor);
    if (member?.standing !== 'present') throw notInside();
    if (!room.settings.allowChat && member.role !== 'host') throw off();
    if (member.grants?.canChat === false) throw notGranted();
    return member.displayName;
  }

  async read(context: PartyContext, request: RequestOf<'conference.getChat'>): Promise<WireRoomChat[]> {
    const { store } = this.#deps;
    const { roomId, limit, before } = request;
    const room = await store.room(roomId);
    const until = readableUntil(room, context.wallet, await store.own(roomId, context));
    if (until === 'none') throw notInside();
    return (await store.chat.read(roomId, limit, before, until === 'all' ? undefined : until)).map(toChat);
  }
}

const off = () => denied('chat_off', 'Only hosts can write in this room: ask a host to turn the chat on.');
