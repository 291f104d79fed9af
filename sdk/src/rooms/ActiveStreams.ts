import { ParleyError } from '../../protocol/errors.ts';
import type { JoinedMedia } from '../../protocol/media.ts';
import { chatAtStart } from '../../protocol/limits.ts';
import type { WireLiveStream, WireStreamChat } from '../../protocol/streaming.ts';
import type { EventOf, RequestInput, ResponseOf } from '../../protocol/wire.ts';
import { enterMs, undoTimeoutMs, type Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents } from '../types.ts';
import { Memberships } from './Memberships.ts';
import { RecentIds } from './RecentIds.ts';

type Watched = ResponseOf<'streaming.watch'>;
type Claimed = Pick<Watched, 'stream' | 'chat'>;

/** The role of this device in a stream, and the data it needs to resume. */
type ActiveStream =
  | { does: 'publishes' }
  | {
      does: 'watches';
      /** The id of this device's membership as a viewer (`place` on the wire). */
      membershipId: string;
      /** The original request. After a long absence the server checks the viewer token again. */
      request: RequestInput<'streaming.watch'>;
      /** Ids of the chat messages the app already has. */
      knownChat: RecentIds;
    };

/** The streams this device publishes or watches. */
export class ActiveStreams {
  readonly #connection: Connection;
  readonly #events: Listeners<ParleyEvents>;
  readonly #memberships: Memberships<ActiveStream, Claimed>;
  /** Streams whose watch() is undone. The next one waits until the server knows that this device has left. */
  readonly #undoing = new Map<string, Promise<void>>();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#events = events;
    const memberships = new Memberships<ActiveStream, Claimed>({
      connection,
      media,
      events,
      scope: 'stream',
      claim: (streamId, active) => this.#claim(streamId, active),
      catchUp: ({ stream, chat }) => {
        this.#forgetDeleted(stream.id, chat);
        for (const message of chat) this.#onChat(message);
        events.emit('stream:updated', fromWire(stream));
      },
      onRefused: (streamId, error) => this.#onRefused(streamId, error),
    });
    this.#memberships = memberships;
    for (const name of [
      'stream:updated',
      'stream:viewer:joined',
      'stream:viewer:left',
      'stream:viewer:count',
      'stream:chat:deleted',
    ] as const)
      memberships.on(name, (payload) => events.emit(name, fromWire(payload)));
    memberships.on('stream:chat:message', (chat) => this.#onChat(chat));
    memberships.on('stream:ended', (stream) => this.#onEnded(stream));
    memberships.on('stream:replaced', ({ streamId }) => this.#onReplaced(streamId));
    memberships.on('stream:removed', ({ streamId, reason }) => this.#onRemoved(streamId, reason));
  }

  does(streamId: string): ActiveStream['does'] | null {
    return this.#memberships.get(streamId)?.does ?? null;
  }

  /** Makes this device the publisher, in place of the current one. Events may report at once that it no longer is. */
  async publish(streamId: string): Promise<JoinedMedia | undefined> {
    const { media } = await this.#memberships.enter(
      streamId,
      (wanted) => this.#connection.request('streaming.start', { streamId, ...wanted }, enterMs),
      () => [streamId, { does: 'publishes' }],
    );
    return media;
  }

  /** Begins to watch. Events may report at once that this device no longer watches. */
  async watch(request: RequestInput<'streaming.watch'>): Promise<Watched> {
    const { streamId } = request;
    const undoing = this.#undoing.get(streamId);
    const watched = await this.#memberships
      .enter(
        streamId,
        async (wanted) => {
          if (undoing) await undoing;
          return this.#connection.request('streaming.watch', { ...request, ...wanted }, enterMs);
        },
        ({ place: membershipId, chat }) => {
          const knownChat = new RecentIds(chat.map(({ message }) => message.id));
          return [streamId, { does: 'watches', membershipId, request, knownChat }];
        },
      )
      .catch((error: unknown) => {
        if (error instanceof ParleyError && error.code === 'NETWORK_ERROR') this.#undoWatch(streamId);
        throw error;
      });
    // The server may have handled unwatch() before this request.
    if (!this.#memberships.has(streamId)) void this.#leave(streamId, watched.place).catch(() => undefined);
    return watched;
  }

  /** A busy server may have let this device watch after the request timed out, and would count it as a viewer. */
  #undoWatch(streamId: string): void {
    if (this.#memberships.has(streamId) || this.#memberships.isEntering(streamId)) return;
    const undoing = this.#leave(streamId, undefined, undoTimeoutMs)
      .catch(() => undefined)
      .finally(() => this.#undoing.delete(streamId));
    this.#undoing.set(streamId, undoing);
  }

  async unwatch(streamId: string): Promise<void> {
    const active = this.#memberships.get(streamId);
    if (active?.does === 'publishes') return;
    this.forget(streamId);
    await this.#leave(streamId, active?.membershipId);
  }

  /** Removes the stream from this device, which then neither publishes nor watches it. */
  forget(streamId: string): void {
    this.#memberships.forget(streamId);
  }

  /** Remembers a chat message. @returns whether the message is new to the app */
  remember({ streamId, message }: WireStreamChat): boolean {
    const active = this.#memberships.get(streamId);
    return active?.does !== 'watches' || active.knownChat.add(message.id);
  }

  /** Tells the app which messages were deleted while nobody told this device. @param chat the latest messages */
  #forgetDeleted(streamId: string, chat: WireStreamChat[]): void {
    const active = this.#memberships.get(streamId);
    if (active?.does !== 'watches') return;
    const there = new Set(chat.map(({ message }) => message.id));
    for (const messageId of active.knownChat.keepOnly(there, chat.length < chatAtStart))
      this.#events.emit('stream:chat:deleted', { streamId, messageId });
  }

  #onChat(chat: WireStreamChat): void {
    if (this.remember(chat)) this.#events.emit('stream:chat:message', fromWire(chat));
  }

  /** A server that takes over from a failed one may send this event again, but the app gets it only once. */
  #onEnded(stream: WireLiveStream): void {
    if (this.#memberships.end(stream.id)) this.#events.emit('stream:ended', fromWire(stream));
  }

  #onReplaced(streamId: string): void {
    if (this.does(streamId) !== 'publishes') return;
    this.forget(streamId);
    this.#events.emit('stream:replaced', { streamId });
  }

  #onRemoved(streamId: string, reason: EventOf<'stream:removed'>['reason']): void {
    if (this.does(streamId) !== 'watches') return;
    this.forget(streamId);
    this.#events.emit('stream:removed', { streamId, reason });
  }

  async #leave(streamId: string, place: string | undefined, timeoutMs?: number): Promise<void> {
    await this.#connection.request(
      'streaming.unwatch',
      place ? { streamId, place } : { streamId },
      timeoutMs,
    );
  }

  async #claim(streamId: string, active: ActiveStream): Promise<Claimed> {
    if (active.does === 'publishes') {
      const held = this.#connection.ids;
      return { stream: await this.#connection.request('streaming.start', { streamId, held }), chat: [] };
    }
    const again: RequestInput<'streaming.watch'> = { ...active.request, place: active.membershipId };
    const watched = await this.#connection.request('streaming.watch', again);
    active.membershipId = watched.place;
    return watched;
  }

  async #onRefused(streamId: string, { code, reason }: ParleyError): Promise<void> {
    if (reason === 'stream_ended')
      return this.#onEnded(await this.#connection.request('streaming.get', { streamId }));
    if (reason === 'replaced') {
      if (this.does(streamId) === 'watches') return this.#onRemoved(streamId, 'replaced');
      return this.#onReplaced(streamId);
    }
    if (code === 'ACCESS_DENIED') this.#onRemoved(streamId, reason === 'banned' ? 'banned' : 'access_lost');
  }
}
