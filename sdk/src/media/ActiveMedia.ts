import type { JoinedMedia, Scope, Source, WantedMedia } from '../../protocol/media.ts';
import type { StreamQuality } from '../../protocol/streaming.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import { isTransient, retryTransient } from '../connection/transient.ts';
import type { Platform } from '../platform/Platform.ts';
import { asParleyError } from './asParleyError.ts';
import { MediaDevice, type MediaOptions } from './device.ts';
import { Inputs } from './Inputs.ts';
import { MediaSession } from './MediaSession.ts';
import type { Outgoing } from './Outgoing.ts';
import { Playback } from './Playback.ts';
import { QualityReporter } from './QualityReporter.ts';
import { qualities, type Quality } from './qualities.ts';
import { Sending } from './Sending.ts';
import { Sessions } from './Sessions.ts';
import { ViewedElements } from './ViewedElements.ts';
import { ViewReporter } from './ViewReporter.ts';
import type { ParleyEvents, VideoCodec } from '../types.ts';

interface OpenOptions {
  codec?: VideoCodec | undefined;
  /** Whether to publish the microphone muted. */
  muted?: boolean;
  /** The quality of the camera, in a stream. */
  quality?: StreamQuality;
  /** The media that the answer to enter() contained; without it, the media is joined now. */
  joined?: JoinedMedia | undefined;
}

/** The memberships of this device in the calls, rooms or streams of one scope. */
interface Memberships {
  /** Resolves when the server recognises this connection as the device of the membership. */
  claimed: (id: string) => Promise<void>;
  /** Claims the membership again, then calls recover(). */
  resume: (id: string) => Promise<void>;
}

export interface MediaParts {
  connection: Connection;
  events: Listeners<ParleyEvents>;
  platform: Platform;
  options: MediaOptions;
}

/** The media that this device has joined, for the namespaces of calls, rooms and streams. `Media` adds the methods for apps. */
export class ActiveMedia {
  protected readonly device: MediaDevice;
  protected readonly events: Listeners<ParleyEvents>;
  /** @internal */
  readonly inputs: Inputs;
  /** @internal */
  readonly sending: Sending;
  protected readonly playback: Playback;
  protected readonly sessions: Sessions;
  protected readonly views = new ViewReporter(() => this.sessions.all);
  protected readonly elements = new ViewedElements(this.views);
  readonly #connection: Connection;
  readonly #memberships = new Map<Scope, Memberships>();
  readonly #reporter: QualityReporter;
  /** When the last request that enters a call, room or stream began. */
  #enteredAt = 0;
  /** The number of requests in progress that enter a call, room or stream. */
  #entering = 0;
  /** Events that arrived before the answer to such a request. */
  #early: (() => void)[] = [];

  constructor({ connection, events, platform, options }: MediaParts) {
    this.device = new MediaDevice(options, platform);
    this.playback = new Playback((isBlocked) => events.emit('media:playback', { isBlocked }));
    this.sessions = new Sessions(events);
    this.#reporter = new QualityReporter(connection, () => this.sessions.all);
    const { device, sessions, playback } = this;
    const { baseUrl } = connection;
    this.inputs = new Inputs({ sessions, playback, device, events, platform, options, baseUrl });
    this.sending = new Sending(sessions, this.inputs);
    this.#connection = connection;
    this.events = events;
    connection.on('session:welcome', ({ rtpCapabilities }) => {
      // If this fails, the call or room that needs the device reports the error.
      if (this.device.isAvailable) void this.device.prepare(rtpCapabilities).catch(() => undefined);
    });
    connection.on('media:restarted', ({ id, cause }) =>
      this.#withSession(id, (session) => void this.#rejoin(session, cause)),
    );
    connection.on('media:goaway', ({ id }) =>
      this.#withSession(id, (session) => void this.#migrate(session)),
    );
    connection.on('media:consumer', (message) =>
      this.#withSession(message.id, (session) => session.addConsumer(message)),
    );
    connection.on('media:consumer:closed', (message) =>
      this.#withSession(message.id, (session) => session.removeConsumer(message)),
    );
    connection.on('media:layers', (message) =>
      this.#withSession(message.id, (session) => session.limitLayers(message)),
    );
    connection.on('call:participant:updated', (participant) =>
      this.#withSession(participant.roomId, (session) => session.updateParticipant(fromWire(participant))),
    );
  }

  /** @internal Checks the WebRTC handler before a call or room is requested. @throws ParleyError PERMISSION_DENIED, VALIDATION_ERROR */
  checkHandler(): void {
    this.device.check();
  }

  /** @internal Whether the browser blocks the sound of play(). */
  get isPlaybackBlocked(): boolean {
    return this.playback.isBlocked;
  }

  /** @internal Whether this device has media in a call, room or stream, or is about to. */
  get isOpen(): boolean {
    return this.sessions.all.length > 0 || this.#entering > 0;
  }

  /** @internal */
  session(id: string): MediaSession | undefined {
    return this.sessions.get(id);
  }

  /**
   * @internal Sends a request that enters a call, room or stream and joins its media. When the promise resolves, open() must be called
   * before the next event arrives.
   * @param id the id of the room; empty if it is not known yet
   * @param send sends the request with the given member, which is empty if the media is to be joined with a request of its own
   */
  async enter<T>(id: string, send: (wanted: { media?: WantedMedia }) => Promise<T>): Promise<T> {
    this.#enteredAt = performance.now();
    const wanted = await this.#wanted(id).catch(() => ({}));
    this.#entering++;
    try {
      return await send(wanted);
    } finally {
      setTimeout(() => {
        this.#entering--;
        for (const handle of this.#early.splice(0)) handle();
      });
    }
  }

  async #wanted(id: string): Promise<{ media?: WantedMedia }> {
    // The media of a room that is open must be closed before it is joined again.
    if (!this.device.isAvailable || this.sessions.get(id)) return {};
    const { rtpCapabilities } = await this.#connection.welcome();
    const { recvRtpCapabilities } = await this.device.prepare(rtpCapabilities);
    // Read last, because in the meantime the client may have connected to another server, which may be older.
    const { joinsMedia } = await this.#connection.welcome();
    return joinsMedia ? { media: { rtpCapabilities: recvRtpCapabilities as never } } : {};
  }

  /**
   * @internal Joins the media of a room and publishes these tracks. They may still be being captured.
   * @throws the error of a failed capture
   */
  async open(
    scope: Scope,
    id: string,
    tracks: MediaStreamTrack[] | Promise<MediaStreamTrack[]>,
    options: OpenOptions = {},
  ): Promise<void> {
    const session = this.#newSession(
      { scope, id },
      { quality: options.quality && qualities[options.quality] },
    );
    this.sessions.open(session);
    if (options.muted) session.outgoing.pause('microphone');
    await asParleyError(() => this.#joinAndPublish(session, tracks, options));
    this.sessions.emitLocal(session);
  }

  /**
   * @internal Joins the media of a conference, with the camera and microphone of another one or of a call, which stay on. Only a shared
   * screen ends, because the other room has other participants. Call as open().
   * @param codec the video codec of the other room
   * @param stops the sources that the other room does not allow
   */
  async follow(
    from: string,
    to: string,
    {
      codec,
      stops,
      ...options
    }: Pick<OpenOptions, 'muted' | 'joined'> & { codec: VideoCodec; stops: Source[] },
  ): Promise<void> {
    const former = this.sessions.take(from);
    if (!former) return;
    const outgoing = former.handOver();
    outgoing.continueIn({ codec });
    outgoing.drop(['screen', 'screen-audio', ...stops]);
    const session = this.#newSession({ scope: 'conference', id: to }, { outgoing });
    former.successor = session;
    this.sessions.open(session);
    if (options.muted) session.outgoing.pause('microphone');
    await asParleyError(() => this.#join(session, options.joined)).catch((error: unknown) =>
      this.sessions.fail(session, error as Error),
    );
    this.sessions.emitLocal(session);
  }

  #newSession(
    room: { scope: Scope; id: string },
    sending: { quality?: Quality | undefined; outgoing?: Outgoing },
  ): MediaSession {
    const { scope, id } = room;
    const memberships = this.#memberships.get(scope);
    const session = new MediaSession({
      connection: this.#connection,
      device: this.device,
      room,
      ...sending,
      hooks: {
        onTrack: (track) => {
          this.events.emit('media:track', track);
          this.playback.refresh(track.stream);
          this.views.refresh();
        },
        onTrackEnded: (track) => this.events.emit('media:track:ended', track),
        onFailed: (error) => this.sessions.fail(session, error),
        onBroken: () => void memberships?.resume(id),
        onResumed: () => this.views.refresh(),
        // Without a connection, the request that follows reports the error.
        claimed: async () => memberships?.claimed(id).catch(() => undefined),
      },
    });
    return session;
  }

  async #joinAndPublish(
    session: MediaSession,
    tracks: MediaStreamTrack[] | Promise<MediaStreamTrack[]>,
    options: OpenOptions,
  ): Promise<void> {
    const preparing = Promise.resolve(tracks).then((all) =>
      Promise.all(
        all.map(async (track) => {
          const source = track.kind === 'audio' ? ('microphone' as const) : ('camera' as const);
          return { source, local: await this.inputs.prepare(source, track) };
        }),
      ),
    );
    const [prepared] = await Promise.all([preparing, this.#join(session, options.joined)]);
    await session.publish(prepared, options.codec);
  }

  async #join(session: MediaSession, joined: JoinedMedia | undefined): Promise<void> {
    const startedAt = joined ? this.#enteredAt : performance.now();
    await session.join(joined);
    this.#reporter.joined(session, startedAt);
  }

  /** @internal */
  close(id: string): void {
    this.sessions.close(id);
  }

  /** @internal */
  closeAll(): void {
    for (const { room } of this.sessions.all) this.sessions.close(room.id);
    this.#reporter.close();
    this.elements.close();
    this.views.close();
    this.playback.close();
    this.inputs.devices.close();
  }

  /** @internal Registers the memberships that the media of a scope depends on. */
  resumeWith(scope: Scope, memberships: Memberships): void {
    this.#memberships.set(scope, memberships);
  }

  /** @internal Recovers media whose membership is claimed: with the existing transports, or otherwise with new ones. */
  async recover(id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (!session) return;
    const before = session.participants.map((each) => JSON.stringify(each));
    await this.#reporter.recovering(session, 'network', async () => {
      try {
        await session.resume();
      } catch (error) {
        if (isTransient(error) || !this.sessions.isOpen(session)) throw error;
        await session.rejoin();
      }
    });
    // Rooms learn of missed changes from the answer to their claim.
    if (session.room.scope !== 'call') return;
    for (const participant of session.participants)
      if (!before.includes(JSON.stringify(participant)))
        this.events.emit('call:participant:updated', participant);
  }

  /** Moves to the room's new node while the old one still works. If that fails, rejoins. */
  async #migrate(session: MediaSession): Promise<void> {
    const moving = this.#reporter.recovering(session, 'drain', () => session.migrate());
    await moving.catch(() => this.#rejoin(session));
  }

  async #rejoin(session: MediaSession, cause?: 'worker' | 'node'): Promise<void> {
    const isWanted = () => this.sessions.isOpen(session) && this.#connection.state === 'connected';
    try {
      const rejoin = () => retryTransient(() => session.rejoin(), isWanted);
      await (cause ? this.#reporter.recovering(session, cause, rejoin) : rejoin());
    } catch (error) {
      this.sessions.fail(session, error as Error);
    }
  }

  #withSession(id: string, run: (session: MediaSession) => void): void {
    const session = this.sessions.get(id);
    if (session) run(session);
    else if (this.#entering > 0) this.#early.push(() => this.#withSession(id, run));
  }
}
