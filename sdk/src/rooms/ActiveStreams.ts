import { ParleyError } from '../../protocol/errors.ts';
import type { WireLiveStream, WireStreamChat } from '../../protocol/streaming.ts';
import type { EventOf, RequestInput, ResponseOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import { InTurn } from '../connection/InTurn.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { retryTransient } from '../connection/transient.ts';
import type { ParleyEvents } from '../types.ts';

type Watched = ResponseOf<'streaming.watch'>;

/** What this device does with a stream, and what it needs to do so again. */
type Part =
  | { does: 'publishes' }
  | {
      does: 'watches';
      membership: string;
      /** As it was asked for: whoever was away for too long is asked for what opens it once more. */
      request: RequestInput<'streaming.watch'>;
      /** What was said, as far as the app knows. */
      heard: Set<string>;
    };

const remembered = 500;
/** All clients of a server ask at the same moment, when it says that events were lost. */
const spreadMs = 2_000;

/** The streams this device publishes or watches: what it has heard of them, and how it goes on when it was away. */
export class ActiveStreams {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #events: Listeners<ParleyEvents>;
  readonly #parts = new Map<string, Part>();
  readonly #over = new Set<string>();
  readonly #inTurn = new InTurn();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#events = events;
    this.#hear();
    media.takeUpWith('stream', (streamId) => this.#claim(streamId));
    connection.onReconnected(() => this.#lookAgain());
    connection.on('session:missed', () => {
      setTimeout(() => this.#lookAgain(), Math.random() * spreadMs);
    });
    connection.onState((state) => {
      if (state === 'closed') this.#parts.clear();
    });
  }

  does(streamId: string): Part['does'] | null {
    return this.#parts.get(streamId)?.does ?? null;
  }

  /** This device publishes from now on, instead of whoever did. */
  async publish(streamId: string): Promise<WireLiveStream> {
    const stream = await this.#connection.request('streaming.start', { streamId });
    this.#parts.set(streamId, { does: 'publishes' });
    return stream;
  }

  async watch(request: RequestInput<'streaming.watch'>): Promise<Watched> {
    const { streamId } = request;
    const watched = await this.#connection.request('streaming.watch', request);
    const heard = new Set(watched.chat.map(({ message }) => message.id));
    this.#parts.set(streamId, { does: 'watches', membership: watched.place, request, heard });
    return watched;
  }

  async unwatch(streamId: string): Promise<void> {
    const part = this.#parts.get(streamId);
    this.forget(streamId);
    const membership = part?.does === 'watches' ? { membership: part.membership } : {};
    await this.#connection.request('streaming.unwatch', { streamId, ...membership });
  }

  /** This device has no part in the stream any more. */
  forget(streamId: string): void {
    this.#parts.delete(streamId);
    this.#media.close(streamId);
  }

  /** @returns whether it is news to the app */
  said({ streamId, message }: WireStreamChat): boolean {
    const part = this.#parts.get(streamId);
    if (part?.does !== 'watches') return true;
    if (part.heard.has(message.id)) return false;
    keep(part.heard, message.id);
    return true;
  }

  #hear(): void {
    const connection = this.#connection;
    for (const name of [
      'stream:updated',
      'stream:viewer:joined',
      'stream:viewer:left',
      'stream:viewer:count',
      'stream:chat:deleted',
    ] as const) {
      connection.on(name, (payload) =>
        this.#inTurn.hear('streamId' in payload ? payload.streamId : payload.id, () =>
          this.#events.emit(name, fromWire(payload)),
        ),
      );
    }
    connection.on('stream:chat:message', (chat) => this.#inTurn.hear(chat.streamId, () => this.#heard(chat)));
    connection.on('stream:ended', (stream) => this.#inTurn.hear(stream.id, () => this.#ended(stream)));
    connection.on('stream:replaced', ({ streamId }) =>
      this.#inTurn.hear(streamId, () => this.#replaced(streamId)),
    );
    connection.on('stream:removed', ({ streamId, reason }) =>
      this.#inTurn.hear(streamId, () => this.#removed(streamId, reason)),
    );
  }

  #heard(chat: WireStreamChat): void {
    if (this.said(chat)) this.#events.emit('stream:chat:message', fromWire(chat));
  }

  /** Told again after a server died in the middle of it; the app needs to hear it once. */
  #ended(stream: WireLiveStream): void {
    if (this.#over.has(stream.id)) return;
    keep(this.#over, stream.id);
    this.forget(stream.id);
    this.#events.emit('stream:ended', fromWire(stream));
  }

  #replaced(streamId: string): void {
    if (this.does(streamId) !== 'publishes') return;
    this.forget(streamId);
    this.#events.emit('stream:replaced', { streamId });
  }

  #removed(streamId: string, reason: EventOf<'stream:removed'>['reason']): void {
    if (this.does(streamId) !== 'watches') return;
    this.forget(streamId);
    this.#events.emit('stream:removed', { streamId, reason });
  }

  /** Connected again, or events were lost: the server is asked, and what this device does is taken up. */
  #lookAgain(): void {
    for (const streamId of this.#parts.keys()) {
      const isWanted = () => this.#parts.has(streamId) && this.#connection.state === 'connected';
      const look = () =>
        this.#media.isAvailable && this.#media.session(streamId)
          ? this.#media.recover(streamId)
          : retryTransient(() => this.#claim(streamId), isWanted);
      void look().catch(() => undefined);
    }
  }

  /** This device's part in a stream, on its new connection. Tells the app what it would have heard. */
  async #claim(streamId: string): Promise<void> {
    const part = this.#parts.get(streamId);
    if (!part) return;
    try {
      await this.#inTurn.asking(streamId, async () => {
        const { stream, chat } = await this.#takeUp(streamId, part);
        // The app has left it meanwhile.
        if (this.#parts.get(streamId) !== part) return;
        for (const said of chat) this.#heard(said);
        this.#events.emit('stream:updated', fromWire(stream));
      });
    } catch (error) {
      if (error instanceof ParleyError) await this.#onLost(streamId, error);
      throw error;
    }
  }

  async #takeUp(streamId: string, part: Part): Promise<Pick<Watched, 'stream' | 'chat'>> {
    if (part.does === 'publishes') {
      const held = this.#connection.ids;
      return { stream: await this.#connection.request('streaming.start', { streamId, held }), chat: [] };
    }
    const again = { ...part.request, membership: part.membership };
    const watched = await this.#connection.request('streaming.watch', again);
    part.membership = watched.place;
    return watched;
  }

  async #onLost(streamId: string, { code, details }: ParleyError): Promise<void> {
    const is = (detail: string) => details?.some((one) => one.code === detail) ?? false;
    if (is('stream_ended')) return this.#ended(await this.#connection.request('streaming.get', { streamId }));
    if (is('replaced')) return this.#replaced(streamId);
    if (code === 'ACCESS_DENIED') this.#removed(streamId, is('banned') ? 'banned' : 'access_lost');
  }
}

function keep(set: Set<string>, id: string): void {
  set.add(id);
  const [oldest] = set;
  if (set.size > remembered && oldest !== undefined) set.delete(oldest);
}
