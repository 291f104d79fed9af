import { withChat } from '@parley/react';
import type { Parley, ParleyEvents } from '@parley/sdk';
import { withoutMessage } from '../streamState.ts';
import { receivedIn, type Received } from './received.ts';
import type { ViewerEvents, StreamViewer } from './StreamViewer.ts';

interface SdkViewerOptions {
  client: Parley;
  streamId: string;
  token: string | null;
  displayName: string;
  /** Whether the viewer has a participant token instead of a wallet. */
  isGuest: boolean;
  events: ViewerEvents;
}

/** A viewer with a wallet or participant token, who watches through the SDK, with events and chat. */
export class SdkViewer implements StreamViewer {
  readonly #options: SdkViewerOptions;
  readonly #stops: (() => void)[] = [];
  #isReceiving = true;
  #isWatching = false;
  /** The latest viewer count reported by an event; null before the first one. */
  #viewerCount: number | null = null;

  constructor(options: SdkViewerOptions) {
    this.#options = options;
    this.#subscribe();
  }

  get isConnected(): boolean {
    return this.#options.client.state === 'connected';
  }

  get isReached(): boolean {
    const { client, streamId } = this.#options;
    return client.media.receivingState(streamId) === 'connected';
  }

  async open(): Promise<void> {
    const { client, streamId, token, displayName, events } = this.#options;
    const stream = await client.streaming.get(streamId);
    events.stream(stream);
    if (stream.status === 'ended') return;
    const opened = await client.streaming.watch(streamId, {
      ...(displayName ? { displayName } : {}),
      ...(token ? { token } : {}),
    });
    // An event may have reported a count while the media was being set up. That count is newer than the one in the answer.
    events.stream({ ...opened, viewerCount: this.#viewerCount ?? opened.viewerCount });
    this.#isWatching = true;
    const chat = await client.streaming.getChat(streamId);
    events.change((state) => ({ chat: withChat(state.chat, ...chat) }));
  }

  /** Does nothing, because the SDK starts to receive by itself. */
  receive(): Promise<void> {
    return Promise.resolve();
  }

  async received(): Promise<Received> {
    const { client, streamId } = this.#options;
    return receivedIn((await client.media.stats(streamId)).receiving);
  }

  /**
   * Returns the token in a private stream's link or, without one, the wallet's viewer token, so that the wallet counts as one viewer.
   * A guest has none, and can play the playlists of public streams only.
   */
  async token(): Promise<string | null> {
    const { client, streamId, token, isGuest } = this.#options;
    if (isGuest) return null;
    return token ?? (await client.streaming.getViewerToken(streamId)).token;
  }

  async say(content: string): Promise<void> {
    const { client, streamId, events } = this.#options;
    const said = await client.streaming.sendChat(streamId, content);
    events.change((state) => ({ chat: withChat(state.chat, said) }));
  }

  stopReceiving(): void {
    this.#isReceiving = false;
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    const { client, streamId } = this.#options;
    if (this.#isWatching) void client.streaming.unwatch(streamId).catch(() => undefined);
    this.#isWatching = false;
  }

  #subscribe(): void {
    const { streamId, events } = this.#options;
    this.#on('stream:updated', (stream) => stream.id === streamId && events.stream(stream));
    this.#on('stream:ended', (stream) => {
      if (stream.id !== streamId) return;
      this.#isWatching = false;
      events.stream(stream);
    });
    this.#on('stream:removed', (removed) => {
      if (removed.streamId !== streamId) return;
      this.#isWatching = false;
      events.refused(removed.reason);
    });
    this.#on('stream:viewer:count', (update) => {
      if (update.streamId !== streamId) return;
      this.#viewerCount = update.count;
      events.change(({ stream }) => ({ stream: stream && { ...stream, viewerCount: update.count } }));
    });
    this.#on('stream:chat:message', (said) => {
      if (said.streamId === streamId) events.change(({ chat }) => ({ chat: withChat(chat, said) }));
    });
    this.#on('stream:chat:deleted', ({ streamId: id, messageId }) => {
      if (id === streamId) events.change(({ chat }) => ({ chat: withoutMessage(chat, messageId) }));
    });
    this.#on('media:track', ({ id, source, track }) => {
      if (id === streamId && this.#isReceiving) events.track(source, track);
    });
    this.#on('media:track:ended', ({ id, source, track }) => {
      if (id === streamId) events.trackEnded(source, track);
    });
    this.#on('media:failed', ({ id }) => {
      if (id === streamId && this.#isReceiving) events.mediaLost();
    });
  }

  #on<Name extends keyof ParleyEvents>(name: Name, handler: (payload: ParleyEvents[Name]) => unknown): void {
    this.#stops.push(this.#options.client.on(name, (payload) => void handler(payload)));
  }
}
