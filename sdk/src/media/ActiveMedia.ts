import type { JoinedMedia, Scope, Source, WantedMedia } from '../../protocol/media.ts';
import type { StreamQuality } from '../../protocol/streaming.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import { isTransient, retryTransient } from '../connection/transient.ts';
import type { Platform } from '../platform/Platform.ts';
import { Devices } from './Devices.ts';
import { MediaDevice, type MediaOptions } from './device.ts';
import { captured, Effects, hasEffect, LocalTrack, type EffectKind } from './LocalTrack.ts';
import { MediaSession } from './MediaSession.ts';
import type { Outgoing } from './Outgoing.ts';
import { Playback } from './Playback.ts';
import { qualities, type Quality } from './qualities.ts';
import { shareScreen } from './shareScreen.ts';
import { ViewedElements } from './ViewedElements.ts';
import { ViewReporter } from './ViewReporter.ts';
import type {
  AudioConfig,
  DeviceKind,
  ParleyEvents,
  TrackEffect,
  VideoCodec,
  VideoConfig,
} from '../types.ts';

interface OpenOptions {
  codec?: VideoCodec | undefined;
  /** Whether to publish the microphone muted. */
  muted?: boolean;
  /** The quality of the camera, in a stream. */
  quality?: StreamQuality;
  /** The media that the answer to enter() contained; without it, the media is joined now. */
  joined?: JoinedMedia | undefined;
}

interface ScreenOptions {
  audio?: boolean;
  onEnded?: () => void;
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
  protected readonly hardware: Devices;
  protected readonly effects: Effects;
  protected readonly playback: Playback;
  protected readonly views = new ViewReporter(() => this.sessions.values());
  protected readonly elements = new ViewedElements(this.views);
  protected readonly sessions = new Map<string, MediaSession>();
  readonly #connection: Connection;
  readonly #memberships = new Map<Scope, Memberships>();
  /** Screens that are sent as the camera of a stream. They get no effect. */
  readonly #screens = new WeakSet<MediaStreamTrack>();
  /** The number of requests in progress that enter a call, room or stream. */
  #entering = 0;
  /** Events that arrived before the answer to such a request. */
  #early: (() => void)[] = [];

  constructor({ connection, events, platform, options }: MediaParts) {
    this.device = new MediaDevice(options, platform);
    this.hardware = new Devices(options, platform, {
      inUse: () => this.#devicesInUse(),
      onChanged: (list, lost) => {
        events.emit('media:devices', { ...list, lost });
        void this.#replaceLost(lost);
      },
    });
    this.effects = new Effects(connection.baseUrl);
    this.playback = new Playback((isBlocked) => events.emit('media:playback', { isBlocked }));
    this.#connection = connection;
    this.events = events;
    connection.on('session:welcome', ({ rtpCapabilities }) => {
      // If this fails, the call or room that needs the device reports the error.
      if (this.device.isAvailable) void this.device.prepare(rtpCapabilities).catch(() => undefined);
    });
    connection.on('media:restarted', ({ id }) =>
      this.#withSession(id, (session) => void this.#rejoin(session)),
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

  /** @internal Checks the WebRTC handler before a call or room is requested. @throws ParleyError VALIDATION_ERROR */
  checkHandler(): void {
    if (this.device.isAvailable) this.device.check();
  }

  /** @internal Whether the browser blocks the sound of play(). */
  get isPlaybackBlocked(): boolean {
    return this.playback.isBlocked;
  }

  /** @internal Opens microphone and camera, on the devices that the app has chosen. */
  capture(wanted: {
    audio: boolean | AudioConfig;
    video: boolean | VideoConfig;
  }): Promise<MediaStreamTrack[]> {
    return this.hardware.capture(wanted);
  }

  /** @internal Lets the user choose a screen. */
  async captureScreen(wanted: { audio: boolean }): Promise<MediaStreamTrack[]> {
    if (!this.device.isAvailable)
      throw new ParleyError(
        'PERMISSION_DENIED',
        'This client cannot share a screen, because this runtime has no WebRTC.',
      );
    const tracks = await this.hardware.captureScreen(wanted);
    for (const track of tracks) this.#screens.add(track);
    return tracks;
  }

  /** @internal Whether this device has media in a call, room or stream, or is about to. */
  get isOpen(): boolean {
    return this.sessions.size > 0 || this.#entering > 0;
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
    if (!this.device.isAvailable || this.sessions.has(id)) return {};
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
    this.sessions.get(id)?.close();
    this.sessions.set(id, session);
    if (options.muted) void session.pause('microphone');
    await asParleyError(() => this.#joinAndPublish(session, tracks, options));
    this.emitLocal(session);
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
    const former = this.sessions.get(from);
    if (!former) return;
    this.sessions.delete(from);
    const outgoing = former.handOver();
    outgoing.continueIn({ codec });
    outgoing.drop(['screen', 'screen-audio', ...stops]);
    const session = this.#newSession({ scope: 'conference', id: to }, { outgoing });
    this.sessions.get(to)?.close();
    this.sessions.set(to, session);
    if (options.muted) void session.pause('microphone');
    await asParleyError(() => session.join(options.joined)).catch((error: unknown) =>
      this.fail(session, error as Error),
    );
    this.emitLocal(session);
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
        onFailed: (error) => this.fail(session, error),
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
          return { source, local: await this.prepare(source, track) };
        }),
      ),
    );
    const [prepared] = await Promise.all([preparing, session.join(options.joined)]);
    await Promise.all(prepared.map(({ source, local }) => session.publish(source, local, options.codec)));
  }

  /** @internal Starts sending the camera, for the first time or again. @returns false if it was switched off while it opened */
  async startCamera(id: string, codec?: VideoCodec): Promise<boolean> {
    const session = this.sessions.get(id);
    if (!session) return true;
    const { outgoing } = session;
    outgoing.beginOpening('camera');
    if (outgoing.get('camera')?.local.isOwn) outgoing.unpause('camera');
    else {
      const [track] = await this.capture({ audio: false, video: true });
      const local = track && (await this.prepare('camera', track));
      if (local) await asParleyError(() => session.publish('camera', local, codec));
    }
    await session.settled();
    this.emitLocal(session);
    return outgoing.isSending('camera') || this.sessions.get(id) !== session;
  }

  /** @internal Starts sending the microphone. Opens it if necessary. */
  async startMicrophone(id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (!session) return;
    // Before the microphone opens, so that it stays muted if it is muted while it opens.
    session.outgoing.unpause('microphone');
    if (!session.outgoing.get('microphone')) {
      const [track] = await this.capture({ audio: true, video: false });
      const local = track && (await this.prepare('microphone', track));
      if (local) await asParleyError(() => session.publish('microphone', local));
    }
    this.emitLocal(session);
  }

  /** @internal Stops sending all sources. This device continues to receive. */
  async stopSending(id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (!session) return;
    const sources = ['microphone', 'camera', 'screen', 'screen-audio'] as const;
    await Promise.all(sources.map((source) => session.unpublish(source)));
    this.emitLocal(session);
  }

  /**
   * @internal Shares a screen, window or tab that the user chooses, with its audio if the browser supports that. If any part fails, nothing
   * is shared. `onEnded` is called when the user stops sharing with the browser's button.
   */
  async startScreen(id: string, { audio = true, onEnded }: ScreenOptions = {}): Promise<void> {
    const tracks = await this.captureScreen({ audio });
    // Read only after the user has chosen, which may take long. If the room is left or rejoined after this point, the share fails.
    const session = this.sessions.get(id);
    const isOver = () => !session || this.sessions.get(id) !== session;
    for (const track of tracks.filter(({ kind }) => kind === 'video')) {
      // Screens contain text, so detail matters more than motion.
      track.contentHint = 'detail';
      track.addEventListener('ended', () => void this.#endScreen(id, track, onEnded));
    }
    try {
      if (session) await asParleyError(() => shareScreen(session, tracks));
    } catch (error) {
      if (!isOver()) throw error;
    } finally {
      if (session) this.emitLocal(session);
    }
    if (!isOver()) return;
    tracks.forEach((track) => track.stop());
    throw new ParleyError('CONFLICT', 'The call or room was left before the screen was shared.');
  }

  /** @internal */
  async stopScreen(id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (!session) return;
    await Promise.all([session.unpublish('screen'), session.unpublish('screen-audio')]);
    this.emitLocal(session);
  }

  async #endScreen(id: string, track: MediaStreamTrack, onEnded?: () => void): Promise<void> {
    const session = this.sessions.get(id);
    if (!session?.outgoing.localScreen.getTracks().includes(track)) return;
    try {
      await this.stopScreen(id);
    } catch (error) {
      this.fail(session, error as Error);
    }
    onEnded?.();
  }

  /** @internal */
  close(id: string): void {
    this.sessions.get(id)?.close();
    this.sessions.delete(id);
  }

  /** @internal */
  closeAll(): void {
    for (const id of [...this.sessions.keys()]) this.close(id);
    this.elements.close();
    this.views.close();
    this.playback.close();
    this.hardware.close();
  }

  /** Applies the chosen effect to a track that is about to be sent. */
  protected async prepare(
    source: Source,
    input: MediaStreamTrack,
    ownership = captured,
  ): Promise<LocalTrack> {
    if (!hasEffect(source) || this.#screens.has(input)) return new LocalTrack(input, ownership);
    const output = await this.effects.apply(source, input, (effect, error) =>
      this.#effectFailed(source, effect, error),
    );
    return this.#watched(source, new LocalTrack(input, ownership, output));
  }

  /** Opens a device to replace the one that is used. */
  protected async openDevice(kind: EffectKind, deviceId?: string): Promise<LocalTrack> {
    return this.prepare(kind, await this.hardware.open(kind, deviceId));
  }

  /** Sends the same input with the effect that is chosen now. */
  protected async renewEffect(kind: EffectKind): Promise<void> {
    for (const session of this.sessions.values()) {
      const outgoing = session.outgoing.get(kind);
      if (!outgoing || outgoing.local.isEnded) continue;
      const { input, ownership } = outgoing.local;
      const local = await this.prepare(kind, input, ownership);
      // In the meantime, another device was opened or the source was stopped.
      if (outgoing.local.input !== input || input.readyState === 'ended') local.stopOutput();
      else await session.outgoing.replace(outgoing, local);
      this.emitLocal(session);
    }
  }

  /** An effect may fail later, which ends its output. The untouched track is then sent. */
  #watched(kind: EffectKind, local: LocalTrack): LocalTrack {
    const effect = this.effects.get(kind);
    const onEnded = () => {
      const isSent = [...this.sessions.values()].some(({ outgoing }) => outgoing.get(kind)?.local === local);
      if (!effect || !isSent || local.isEnded) return;
      this.#effectFailed(kind, effect, new Error('The effect has stopped.'));
      void this.renewEffect(kind);
    };
    if (local.track !== local.input) local.track.addEventListener('ended', onEnded);
    return local;
  }

  #effectFailed(kind: EffectKind, effect: TrackEffect, cause: unknown): void {
    this.effects.drop(kind, effect);
    const message = `The effect on the ${kind} has failed, so it is sent without it: ${String(cause)}`;
    const error = cause instanceof ParleyError ? cause : new ParleyError('INTERNAL', message, { cause });
    this.events.emit('media:effect:failed', { kind, error });
  }

  #devicesInUse(): Partial<Record<EffectKind, string>> {
    const idOf = (kind: EffectKind) =>
      [...this.sessions.values()]
        .map(({ outgoing }) => outgoing.get(kind)?.local)
        .find((local) => local && !local.isOwn && !local.isEnded)
        ?.input.getSettings().deviceId;
    const [camera, microphone] = [idOf('camera'), idOf('microphone')];
    return { ...(camera ? { camera } : {}), ...(microphone ? { microphone } : {}) };
  }

  /** Opens the default devices in place of those that were unplugged. */
  async #replaceLost(lost: DeviceKind[]): Promise<void> {
    if (lost.includes('speaker')) await this.playback.setSpeaker('').catch(() => undefined);
    for (const session of this.sessions.values())
      for (const kind of ['camera', 'microphone'] as const) {
        const { outgoing } = session;
        const local = outgoing.get(kind)?.local;
        const isUsed = kind === 'microphone' || outgoing.isSending(kind);
        if (!local || local.isOwn || !isUsed || !(local.isEnded || lost.includes(kind))) continue;
        await outgoing
          .switchDevice(kind, () => this.openDevice(kind))
          .catch((error: unknown) => this.fail(session, error as Error));
        this.emitLocal(session);
      }
  }

  /** @internal Registers the memberships that the media of a scope depends on. */
  resumeWith(scope: Scope, memberships: Memberships): void {
    this.#memberships.set(scope, memberships);
  }

  /** @internal Recovers media whose membership is claimed: with the existing transports, or otherwise with new ones. */
  async recover(id: string): Promise<void> {
    const session = this.sessions.get(id);
    try {
      await session?.resume();
    } catch (error) {
      if (isTransient(error) || !session || this.sessions.get(id) !== session) throw error;
      await session.rejoin();
    }
  }

  /** Moves to the room's new node while the old one still works. If that fails, rejoins. */
  async #migrate(session: MediaSession): Promise<void> {
    await session.migrate().catch(() => this.#rejoin(session));
  }

  async #rejoin(session: MediaSession): Promise<void> {
    const isWanted = () =>
      this.sessions.get(session.room.id) === session && this.#connection.state === 'connected';
    try {
      await retryTransient(() => session.rejoin(), isWanted);
    } catch (error) {
      this.fail(session, error as Error);
    }
  }

  /** Emits `media:failed`, except for transient errors, and for media that is over, whose end has its own event. */
  protected fail(session: MediaSession, error: Error): void {
    const isOver = this.sessions.get(session.room.id) !== session;
    if (!isOver && !isTransient(error)) this.events.emit('media:failed', { ...session.room, error });
  }

  protected emitLocal(session: MediaSession): void {
    if (this.sessions.get(session.room.id) !== session) return;
    this.events.emit('media:local', { ...session.room, stream: session.outgoing.localStream });
  }

  #withSession(id: string, run: (session: MediaSession) => void): void {
    const session = this.sessions.get(id);
    if (session) run(session);
    else if (this.#entering > 0) this.#early.push(() => this.#withSession(id, run));
  }
}

/** Converts the errors of the browser's media functions, so that the app always gets an error code. */
export async function asParleyError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    throw new ParleyError('INTERNAL', `The browser’s media failed: ${String(cause)}`, { cause });
  }
}
