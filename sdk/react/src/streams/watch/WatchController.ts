import { getStreamChat, type ParleyEvents } from '@parley/sdk';
import { watchStream, type PlayerState, type WatchedStream } from '@parley/sdk/player';
import type { Services } from '../../core/Services.ts';
import { Store } from '../../core/Store.ts';
import { withChat } from '../../conversation/withChat.ts';
import { explainStream } from '../explainStream.ts';
import { chatRead, withLatest, withoutMessage } from '../streamState.ts';
import { nothingYet, type WatchState } from './watchState.ts';

interface Watched {
  streamId: string;
  /** The token in the link, which opens a private stream. */
  token: string | null;
  /** Whether the provider's client is signed in, as a wallet or guest. Others watch without it. */
  isSignedIn: boolean;
  displayName: string;
}

/** The interval at which viewers without a wallet read the chat, because they get no events. */
const pollMs = 3_000;

/** A stream that is watched, with its chat. */
export class WatchController {
  readonly store = new Store<WatchState>(nothingYet);
  readonly #services: Services;
  readonly #watched: Watched;
  readonly #stops: (() => void)[] = [];
  #player: WatchedStream | null = null;

  constructor(services: Services, watched: Watched) {
    this.#services = services;
    this.#watched = watched;
  }

  /** Begins to watch. */
  open(): void {
    const { streamId, token, displayName, isSignedIn } = this.#watched;
    const { client } = this.#services;
    this.#player = watchStream({
      streamId,
      displayName,
      baseUrl: client.baseUrl,
      ...(token === null ? {} : { token }),
      ...(isSignedIn ? { client } : {}),
      onState: (player) => this.#onState(player),
    });
    if (isSignedIn) return this.#followChat();
    const timer = setInterval(() => void this.#readChat(), pollMs);
    this.#stops.push(() => clearInterval(timer));
  }

  readonly retry = async (): Promise<void> => this.#player?.retry();

  /** Plays the stream in an element. @returns a function that releases the element */
  readonly show = (element: HTMLVideoElement): (() => void) | undefined => this.#player?.show(element);

  readonly say = async (content: string): Promise<void> => {
    const { streamId } = this.#watched;
    const said = await this.#services.client.streaming.sendChat(streamId, content);
    this.#change({ chat: withChat(this.store.get().chat, said) });
  };

  close(): void {
    this.#player?.stop();
    this.#player = null;
    for (const stop of this.#stops.splice(0)) stop();
  }

  #onState(player: PlayerState): void {
    const wasOpen = this.store.get().phase === 'open';
    const { error } = player;
    this.#change({ ...player, problem: error && explainStream(error, this.#services.words) });
    if (player.phase === 'open' && !wasOpen) void this.#readChat();
  }

  async #readChat(): Promise<void> {
    const { streamId, isSignedIn } = this.#watched;
    const { client } = this.#services;
    const { phase, stream, chat: before } = this.store.get();
    if (phase !== 'open') return;
    if (isSignedIn) {
      const chat = await client.streaming.getChat(streamId, { limit: chatRead }).catch(() => null);
      if (chat) this.#change({ chat: withLatest(this.store.get().chat, before, chat) });
      return;
    }
    if (document.hidden || !stream?.isPublic || stream.gate) return;
    const chat = await getStreamChat(streamId, { baseUrl: client.baseUrl }).catch(() => null);
    // The answer replaces the list, because it lacks deleted messages. The same list again must not render anything.
    if (
      chat &&
      chat.map(({ message }) => message.id).join() !== before.map(({ message }) => message.id).join()
    )
      this.#change({ chat });
  }

  #followChat(): void {
    const { streamId } = this.#watched;
    const on = <Name extends keyof ParleyEvents>(
      name: Name,
      handler: (payload: ParleyEvents[Name]) => void,
    ) => this.#stops.push(this.#services.client.on(name, handler));
    on('stream:chat:message', (said) => {
      if (said.streamId === streamId) this.#change({ chat: withChat(this.store.get().chat, said) });
    });
    on('stream:chat:deleted', ({ streamId: id, messageId }) => {
      if (id === streamId) this.#change({ chat: withoutMessage(this.store.get().chat, messageId) });
    });
  }

  #change(changes: Partial<WatchState>): void {
    this.store.set({ ...this.store.get(), ...changes });
  }
}
