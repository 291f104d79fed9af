import type { WireRoomChat } from '../../sdk/protocol/conference.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { denied, notGranted, notInside, over } from './refusals.ts';
import { toChat } from './toWire.ts';

/** The chat of a room. The last 500 messages are kept for as long as the room lasts. */
export class ConferenceChat {
  readonly #deps: ConferenceDeps;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
  }

  /** Any device of a participant's wallet may send, not only the one that has joined. */
  async send(
    context: PartyContext,
    { roomId, content }: RequestOf<'conference.sendChat'>,
  ): Promise<WireRoomChat> {
    const { store, notifier, limits } = this.#deps;
    await limits.chat.consume(context);
    const row = await store.inRoom(roomId, async (executor, room) => {
      if (room.status === 'ended') throw over();
      const member = await store.member(roomId, context.wallet, executor);
      if (member?.standing !== 'present') throw notInside();
      if (!room.settings.allowChat && member.role !== 'host') throw off();
      if (member.grants?.canChat === false) throw notGranted();
      const { displayName } = member;
      return store.chat.add(executor, {
        id: newId('msg'),
        scopeId: roomId,
        wallet: context.wallet,
        displayName,
        content,
      });
    });
    const message = toChat(row);
    notifier.chat(message, context.socketId);
    return message;
  }

  async read(context: PartyContext, request: RequestOf<'conference.getChat'>): Promise<WireRoomChat[]> {
    const { store } = this.#deps;
    const { roomId, limit, before } = request;
    await store.room(roomId);
    const member = await store.member(roomId, context.wallet);
    if (member?.standing !== 'present') throw notInside();
    return (await store.chat.read(roomId, limit, before)).map(toChat);
  }
}

const off = () => denied('chat_off', 'Only hosts can write in this room: ask a host to turn the chat on.');
