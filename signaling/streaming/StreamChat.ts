import type { Executor } from '../../platform/database/Executor.ts';
import type { WireStreamChat } from '../../sdk/protocol/streaming.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import { isHost } from './permissions.ts';
import { banned, denied, notGranted, over } from './refusals.ts';
import type { StreamDeps } from './StreamDeps.ts';
import type { StreamRow } from './tables.ts';
import { toChat } from './toWire.ts';

/** The number of messages that people without a session see. */
const shownToAnybody = 100;

/** The chat of a stream. The last 500 messages are kept for as long as the stream lasts. */
export class StreamChat {
  readonly #deps: StreamDeps;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  /** The host and all wallets that watch the stream may send, from any of their devices. */
  async send(
    context: PartyContext,
    { streamId, content, id }: RequestOf<'streaming.sendChat'>,
  ): Promise<WireStreamChat> {
    const { store, notifier, limits } = this.#deps;
    await limits.chat.consume(context);
    const { stream, row } = await store.inStream(streamId, async (executor, current) => {
      const { displayName, canChat } = await this.#requireParticipation(current, context, executor);
      if (!canChat) throw notGranted();
      const { wallet } = context;
      const message = { scopeId: streamId, wallet, displayName, content };
      return { stream: current, row: await store.chat.add(executor, message, id) };
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

  /** The latest messages of a stream that everybody may watch without a wallet. @throws ParleyError */
  async show(streamId: string): Promise<WireStreamChat[]> {
    const { store } = this.#deps;
    const { status, gate, isPublic } = await store.stream(streamId);
    if (gate || !isPublic)
      throw denied(
        'not_watching',
        'Only viewers can read the chat of a private or gated stream: watch it first.',
      );
    // The chat is deleted when the stream ends.
    if (status === 'ended') return [];
    return (await store.chat.read(streamId, shownToAnybody)).map(toChat);
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
      if (message.wallet !== context.wallet && !(await isHost(store, current, context, executor)))
        throw denied('not_yours', 'Only its sender and the host can delete this message.');
      await store.chat.remove(executor, messageId);
      return current;
    });
    notifier.chatDeleted(stream, messageId);
  }

  /** @returns the display name, and whether the party may write. @throws ParleyError CONFLICT, ACCESS_DENIED */
  async #requireParticipation(
    stream: StreamRow,
    context: PartyContext,
    executor?: Executor,
  ): Promise<{ displayName: string | null; canChat: boolean }> {
    const { store } = this.#deps;
    const { id, status } = stream;
    const { wallet, guest } = context;
    if (status === 'ended') throw over();
    const [watching] = await store.watchings.ofWallet(id, wallet, executor);
    if (watching || (await isHost(store, stream, context, executor)))
      return {
        displayName: watching?.displayName ?? guest?.displayName ?? null,
        canChat: watching?.canChat ?? guest?.grants.canChat ?? true,
      };
    if (await store.isBanned(id, wallet, executor)) throw banned();
    throw denied(
      'not_watching',
      'The chat is for the stream’s viewers and its host: watch the stream first.',
    );
  }
}
