import { Store, withChat } from '@parley/react';
import type { Guest, Parley, ParleyEvents } from '@parley/sdk';
import { watchStream, type PlayerState, type WatchedStream } from '@parley/sdk/player';
import { explainStream } from '../explainStream.ts';
import { withoutMessage } from '../streamState.ts';
import { nothingYet, refusals, type WatchState } from './watchState.ts';

interface Watched {
  streamId: string;
  /** The token in the link, which opens a private stream. */
  token: string | null;
  /** null for a viewer with neither a wallet nor a participant token. */
  client: Parley | null;
  /** What the participant token says; null without one. */
  guest: Guest | null;
  displayName: string;
}

/** The stream on its public page, with its chat for viewers with a wallet or participant token. */
export class WatchController {
  readonly store = new Store<WatchState>(nothingYet);
  readonly #watched: Watched;
  readonly #stops: (() => void)[] = [];
  #player: WatchedStream | null = null;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** What the participant token of the viewer says; null without one. */
  get guest(): Guest | null {
    return this.#watched.guest;
  }

  /** Begins to watch. */
  open(): void {
    const { client, streamId, token, displayName } = this.#watched;
    this.#player = watchStream({
      streamId,
      displayName,
      ...(token === null ? {} : { token }),
      ...(client ? { client } : {}),
      onState: (player) => this.#onState(player),
    });
    if (client) this.#followChat(client);
  }

  readonly retry = async (): Promise<void> => this.#player?.retry();

  /** Plays the stream in an element. @returns a function that releases the element */
  readonly show = (element: HTMLVideoElement): (() => void) | undefined => this.#player?.show(element);

  readonly say = async (content: string): Promise<void> => {
    const { client, streamId } = this.#watched;
    const said = await client?.streaming.sendChat(streamId, content);
    if (said) this.#change({ chat: withChat(this.store.get().chat, said) });
  };

  close(): void {
    this.#player?.stop();
    this.#player = null;
    for (const stop of this.#stops.splice(0)) stop();
  }

  #onState(player: PlayerState): void {
    const wasOpen = this.store.get().phase === 'open';
    this.#change({
      ...player,
      problem: player.error && explainStream(player.error),
      refusal: player.reason === null ? null : (refusals[player.reason] ?? null),
    });
    if (player.phase === 'open' && !wasOpen) void this.#readChat();
  }

  async #readChat(): Promise<void> {
    const { client, streamId } = this.#watched;
    const chat = await client?.streaming.getChat(streamId).catch(() => null);
    if (chat) this.#change({ chat: withChat(this.store.get().chat, ...chat) });
  }

  #followChat(client: Parley): void {
    const { streamId } = this.#watched;
    const on = <Name extends keyof ParleyEvents>(
      name: Name,
      handler: (payload: ParleyEvents[Name]) => void,
    ) => this.#stops.push(client.on(name, handler));
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
