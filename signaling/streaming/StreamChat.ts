import type { WireStreamChat } from '../../sdk/protocol/streaming.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import { banned, denied, over } from './refusals.ts';
import type { StreamDeps } from './StreamDeps.ts';
import type { StreamRow } from './tables.ts';
import { toChat } from './toWire.ts';

/** The chat of a stream. The last 500 messages are kept for as long as the stream lasts. */
export class StreamChat {
  readonly #deps: StreamDeps;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  /** The host and all wallets that watch the stream may send, from any of their devices. */
  async send(
    context: PartyContext,
    { streamId, content }: RequestOf<'streaming.sendChat'>,
  ): Promise<WireStreamChat> {
    const { store, notifier, limits } = this.#deps;
    await limits.chat.consume(context);
    const { stream, row } = await store.inStream(streamId, async (executor, current) => {
      const displayName = await this.#requireParticipation(current, context);
      const { wallet } = context;
      const message = { id: newId('msg'), scopeId: streamId, wallet, displayName, content };
      return { stream: current, row: await store.chat.add(executor, message) };
    });
    const chat = toChat(row);
    notifier.chat(stream, chat, context.socketId);
    return chat;
  }

  async read(
    context: PartyContext,
    { streamId, limit, before }: RequestOf<'streaming.getChat'>,
  ): Promise<WireStreamChat[]> {
    const { store } = this.#deps;
    await this.#requireParticipation(await store.stream(streamId), context);
    return (await store.chat.read(streamId, limit, before)).map(toChat);
  }

  async delete(
    context: PartyContext,
    { streamId, messageId }: RequestOf<'streaming.deleteChat'>,
  ): Promise<void> {
    const { store, notifier } = this.#deps;
    const stream = await store.inStream(streamId, async (executor, current) => {
      const message = await store.chat.find(executor, streamId, messageId);
      if (!message)
        throw new ParleyError('NOT_FOUND', 'There is no such message: it may have been deleted already.');
      if (message.wallet !== context.wallet && current.host !== context.wallet)
        throw denied('not_yours', 'Only its sender and the host can delete this message.');
      await store.chat.remove(executor, messageId);
      return current;
    });
    notifier.chatDeleted(stream, messageId);
  }

  /** @returns the wallet's display name. @throws ParleyError CONFLICT, ACCESS_DENIED */
  async #requireParticipation(
    { id, host, status }: StreamRow,
    { wallet }: PartyContext,
  ): Promise<string | null> {
    const { store } = this.#deps;
    if (status === 'ended') throw over();
    const [watching] = await store.watchings.ofWallet(id, wallet);
    if (watching || wallet === host) return watching?.displayName ?? null;
    if (await store.isBanned(id, wallet)) throw banned();
    throw denied(
      'not_watching',
      'The chat is for the stream’s viewers and its host: watch the stream first.',
    );
  }
}
