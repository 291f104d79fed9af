import { ParleyError } from '../../protocol/errors.ts';
import type { WireLiveStream, WireStreamChat } from '../../protocol/streaming.ts';
import type { EventOf, RequestInput, ResponseOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import { EventOrder } from '../connection/EventOrder.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { retryTransient } from '../connection/transient.ts';
import type { ParleyEvents } from '../types.ts';

type Watched = ResponseOf<'streaming.watch'>;

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
      knownChat: Set<string>;
    };

/** The maximum number of ids in each set of remembered ids. */
const remembered = 500;
/** The maximum random delay before catching up with lost events. Otherwise all clients would send requests at the same moment. */
const spreadMs = 2_000;

/** The streams this device publishes or watches, and how it resumes them after a lost connection. */
export class ActiveStreams {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #events: Listeners<ParleyEvents>;
  readonly #active = new Map<string, ActiveStream>();
  readonly #over = new Set<string>();
  readonly #order = new EventOrder();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#events = events;
    this.#subscribe();
    media.resumeWith('stream', (streamId) => this.#claim(streamId));
    connection.onReconnected(() => this.#resumeAll());
    connection.on('session:missed', () => {
      setTimeout(() => this.#resumeAll(), Math.random() * spreadMs);
    });
    connection.onState((state) => {
      if (state === 'closed') this.#active.clear();
    });
  }

  does(streamId: string): ActiveStream['does'] | null {
    return this.#active.get(streamId)?.does ?? null;
  }

  /** Makes this device the publisher, in place of the current one. */
  async publish(streamId: string): Promise<WireLiveStream> {
    const stream = await this.#connection.request('streaming.start', { streamId });
    this.#active.set(streamId, { does: 'publishes' });
    return stream;
  }

  async watch(request: RequestInput<'streaming.watch'>): Promise<Watched> {
    const { streamId } = request;
    const watched = await this.#connection.request('streaming.watch', request);
    const knownChat = new Set(watched.chat.map(({ message }) => message.id));
    this.#active.set(streamId, { does: 'watches', membershipId: watched.place, request, knownChat });
    return watched;
  }

  async unwatch(streamId: string): Promise<void> {
    const active = this.#active.get(streamId);
    this.forget(streamId);
    const request: RequestInput<'streaming.unwatch'> =
      active?.does === 'watches' ? { streamId, place: active.membershipId } : { streamId };
    await this.#connection.request('streaming.unwatch', request);
  }

  /** Removes the stream from this device, which then neither publishes nor watches it. */
  forget(streamId: string): void {
    this.#active.delete(streamId);
    this.#media.close(streamId);
  }

  /** Remembers a chat message. @returns whether the message is new to the app */
  remember({ streamId, message }: WireStreamChat): boolean {
    const active = this.#active.get(streamId);
    if (active?.does !== 'watches') return true;
    if (active.knownChat.has(message.id)) return false;
    keep(active.knownChat, message.id);
    return true;
  }

  #subscribe(): void {
    const connection = this.#connection;
    for (const name of [
      'stream:updated',
      'stream:viewer:joined',
      'stream:viewer:left',
      'stream:viewer:count',
      'stream:chat:deleted',
    ] as const) {
      connection.on(name, (payload) =>
        this.#order.onEvent('streamId' in payload ? payload.streamId : payload.id, () =>
          this.#events.emit(name, fromWire(payload)),
        ),
      );
    }
    connection.on('stream:chat:message', (chat) =>
      this.#order.onEvent(chat.streamId, () => this.#onChat(chat)),
    );
    connection.on('stream:ended', (stream) => this.#order.onEvent(stream.id, () => this.#onEnded(stream)));
    connection.on('stream:replaced', ({ streamId }) =>
      this.#order.onEvent(streamId, () => this.#onReplaced(streamId)),
    );
    connection.on('stream:removed', ({ streamId, reason }) =>
      this.#order.onEvent(streamId, () => this.#onRemoved(streamId, reason)),
    );
  }

  #onChat(chat: WireStreamChat): void {
    if (this.remember(chat)) this.#events.emit('stream:chat:message', fromWire(chat));
  }

  /** A server that takes over from a failed one may send this event again, but the app gets it only once. */
  #onEnded(stream: WireLiveStream): void {
    if (this.#over.has(stream.id)) return;
    keep(this.#over, stream.id);
    this.forget(stream.id);
    this.#events.emit('stream:ended', fromWire(stream));
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

  /** Resumes every stream. Called after a lost connection, or when events may have been lost. */
  #resumeAll(): void {
    for (const streamId of this.#active.keys()) {
      const isWanted = () => this.#active.has(streamId) && this.#connection.state === 'connected';
      const resume = () =>
        this.#media.isAvailable && this.#media.session(streamId)
          ? this.#media.recover(streamId)
          : retryTransient(() => this.#claim(streamId), isWanted);
      void resume().catch(() => undefined);
    }
  }

  /** Claims this device's role in a stream for its new connection, and emits the events that the app has missed. */
  async #claim(streamId: string): Promise<void> {
    const active = this.#active.get(streamId);
    if (!active) return;
    try {
      await this.#order.request(streamId, async () => {
        const { stream, chat } = await this.#requestRole(streamId, active);
        // The app left the stream during the request.
        if (this.#active.get(streamId) !== active) return;
        for (const message of chat) this.#onChat(message);
        this.#events.emit('stream:updated', fromWire(stream));
      });
    } catch (error) {
      if (error instanceof ParleyError) await this.#onLost(streamId, error);
      throw error;
    }
  }

  async #requestRole(streamId: string, active: ActiveStream): Promise<Pick<Watched, 'stream' | 'chat'>> {
    if (active.does === 'publishes') {
      const held = this.#connection.ids;
      return { stream: await this.#connection.request('streaming.start', { streamId, held }), chat: [] };
    }
    const again: RequestInput<'streaming.watch'> = { ...active.request, place: active.membershipId };
    const watched = await this.#connection.request('streaming.watch', again);
    active.membershipId = watched.place;
    return watched;
  }

  async #onLost(streamId: string, { code, details }: ParleyError): Promise<void> {
    const has = (detail: string) => details?.some((one) => one.code === detail) ?? false;
    if (has('stream_ended'))
      return this.#onEnded(await this.#connection.request('streaming.get', { streamId }));
    if (has('replaced')) return this.#onReplaced(streamId);
    if (code === 'ACCESS_DENIED') this.#onRemoved(streamId, has('banned') ? 'banned' : 'access_lost');
  }
}

function keep(set: Set<string>, id: string): void {
  set.add(id);
  const [oldest] = set;
  if (set.size > remembered && oldest !== undefined) set.delete(oldest);
}
