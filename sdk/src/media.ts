import type { Scope } from '../protocol/media.ts';
import { ParleyError } from '../protocol/errors.ts';
import { capture, hasMedia } from './capture.ts';
import type { Connection } from './Connection.ts';
import { fromWire } from './fromWire.ts';
import type { Listeners } from './Listeners.ts';
import { MediaSession, prepareDevice } from './MediaSession.ts';
import type { Participant, ParleyEvents, VideoCodec } from './types.ts';

/** The media of everything this client takes part in: `client.media`. */
export class Media {
  readonly #connection: Connection;
  readonly #events: Listeners<ParleyEvents>;
  readonly #sessions = new Map<string, MediaSession>();
  #rtpCapabilities: unknown = null;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#events = events;
    connection.on('session:welcome', (welcome) => {
      this.#rtpCapabilities = welcome.rtpCapabilities;
      if (hasMedia()) void prepareDevice(welcome.rtpCapabilities).catch(() => undefined);
    });
    connection.on('media:restarted', ({ id }) =>
      this.#withSession(id, (session) => void this.#rejoin(session)),
    );
    connection.on('media:replaced', ({ id }) => this.close(id));
    connection.on('media:consumer', (message) =>
      this.#withSession(message.id, (session) => session.addConsumer(message)),
    );
    connection.on('media:consumer:closed', (message) =>
      this.#withSession(message.id, (session) => session.removeConsumer(message)),
    );
    connection.on('call:participant:updated', (participant) =>
      this.#withSession(participant.roomId, (session) => session.updateParticipant(fromWire(participant))),
    );
  }

  /** What this device sends into a call, room or stream; null where it sends nothing. The same object while the session lasts. */
  localStream(id: string): MediaStream | null {
    return this.#sessions.get(id)?.localStream ?? null;
  }

  /** Who else is in the room, as last heard. */
  participants(id: string): Participant[] {
    return this.#sessions.get(id)?.participants ?? [];
  }

  /** Switches every running session to another camera or microphone, without renegotiation. */
  async setDevice(kind: 'camera' | 'microphone', deviceId: string): Promise<void> {
    for (const session of this.#sessions.values()) {
      if (!session.isSending(kind)) continue;
      const [track] = await capture(kind === 'camera' ? { video: { deviceId } } : { audio: { deviceId } });
      if (!track) continue;
      await session.publish(kind, track);
      this.#tellLocal(session);
    }
  }

  /** @throws ParleyError NOT_FOUND where there is no media under this id */
  async stats(id: string): Promise<{ sending: RTCStats[]; receiving: RTCStats[] }> {
    const session = this.#sessions.get(id);
    if (!session) throw new ParleyError('NOT_FOUND', `There is no media under ${id}.`);
    return session.stats();
  }

  /** @internal */
  session(id: string): MediaSession | undefined {
    return this.#sessions.get(id);
  }

  /** @internal Enters a room and publishes these tracks. */
  async open(scope: Scope, id: string, tracks: MediaStreamTrack[], codec?: VideoCodec): Promise<void> {
    const session = new MediaSession({
      connection: this.#connection,
      room: { scope, id },
      hooks: {
        onTrack: (track) => this.#events.emit('media:track', track),
        onTrackEnded: (track) => this.#events.emit('media:track:ended', track),
        onFailed: (error) => this.#events.emit('media:failed', { scope, id, error }),
        onBroken: () => void this.#rejoin(session),
      },
    });
    this.#sessions.get(id)?.close();
    this.#sessions.set(id, session);
    await session.join(this.#rtpCapabilities);
    await Promise.all(
      tracks.map((track) => session.publish(track.kind === 'audio' ? 'microphone' : 'camera', track, codec)),
    );
    this.#tellLocal(session);
  }

  /** @internal Sends the camera: switches it on again, or publishes it for the first time. */
  async startCamera(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    const [track] = await capture({ video: true });
    if (track) await session.publish('camera', track);
    session.unpause('camera');
    this.#tellLocal(session);
  }

  /** @internal */
  close(id: string): void {
    this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
  }

  /** @internal */
  closeAll(): void {
    for (const id of [...this.#sessions.keys()]) this.close(id);
  }

  /** @internal After the connection was away: with the transports there are, or else with new ones. */
  async recover(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    try {
      await session.resume();
    } catch (error) {
      // Away again: the next connection begins anew.
      if (error instanceof ParleyError && error.code === 'NETWORK_ERROR') return;
      await this.#rejoin(session);
    }
  }

  async #rejoin(session: MediaSession): Promise<void> {
    try {
      await session.rejoin(this.#rtpCapabilities);
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'NETWORK_ERROR') return;
      this.#events.emit('media:failed', { ...session.room, error: error as Error });
    }
  }

  #tellLocal(session: MediaSession): void {
    this.#events.emit('media:local', { ...session.room, stream: session.localStream });
  }

  #withSession(id: string, run: (session: MediaSession) => void): void {
    const session = this.#sessions.get(id);
    if (session) run(session);
  }
}
