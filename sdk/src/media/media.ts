import type { JoinedMedia, Scope, Source, WantedMedia } from '../../protocol/media.ts';
import type { StreamQuality } from '../../protocol/streaming.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { CaptureDevices } from './CaptureDevices.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import { isTransient, retryTransient } from '../connection/transient.ts';
import { MediaDevice, type MediaOptions } from './device.ts';
import { MediaSession } from './MediaSession.ts';
import type { Outgoing } from './Outgoing.ts';
import { qualities, type Quality } from './qualities.ts';
import { shareScreen } from './shareScreen.ts';
import { ViewedElements } from './ViewedElements.ts';
import { ViewReporter, type VideoSize, type VideoView } from './ViewReporter.ts';
import type { Platform, UploadFile } from '../platform/Platform.ts';
import {
  type Watched,
  type MediaInfo,
  type Participant,
  type ParleyEvents,
  type UploadOptions,
  type VideoCodec,
  type VideoConfig,
} from '../types.ts';
import type { Uploads } from '../http/uploads.ts';

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

interface MediaParts {
  connection: Connection;
  events: Listeners<ParleyEvents>;
  uploads: Uploads;
  platform: Platform;
  options: MediaOptions;
}

/** The media of this client's calls, rooms and streams: `client.media`. */
export class Media {
  readonly #connection: Connection;
  readonly #events: Listeners<ParleyEvents>;
  readonly #uploads: Uploads;
  readonly #device: MediaDevice;
  readonly #devices: CaptureDevices;
  readonly #sessions = new Map<string, MediaSession>();
  readonly #memberships = new Map<Scope, Memberships>();
  readonly #views = new ViewReporter(() => this.#sessions.values());
  readonly #elements = new ViewedElements(this.#views);
  /** The number of requests in progress that enter a call, room or stream. */
  #entering = 0;
  /** Events that arrived before the answer to such a request. */
  #early: (() => void)[] = [];

  constructor({ connection, events, uploads, platform, options }: MediaParts) {
    this.#uploads = uploads;
    this.#device = new MediaDevice(options, platform);
    this.#devices = new CaptureDevices(options, platform);
    this.#connection = connection;
    this.#events = events;
    connection.on('session:welcome', ({ rtpCapabilities }) => {
      // If this fails, the call or room that needs the device reports the error.
      if (this.isAvailable) void this.#device.prepare(rtpCapabilities).catch(() => undefined);
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

  /**
   * Whether this client can send and receive media. False in a backend without WebRTC, which can take part in calls, rooms
   * and streams only without media.
   */
  get isAvailable(): boolean {
    return this.#device.isAvailable;
  }

  /** @internal Checks the WebRTC handler before a call or room is requested. @throws ParleyError VALIDATION_ERROR */
  checkHandler(): void {
    if (this.isAvailable) this.#device.check();
  }

  /**
   * Uploads an image, video or audio file of up to 25 MB, in chunks. After a lost connection, the upload continues where it stopped. A file
   * that no message or voicemail uses within a day is removed.
   * @param file the file, up to 25 MB: a Blob or File, bytes, or the address of a file (`{ uri }`), as React Native's pickers return it
   * @param options.name the file name. Default: the name of `file`, if it has one
   * @param options.onProgress called during the upload, with bytes
   * @param options.signal aborts the upload
   * @returns the stored file, with its `id`
   * @throws ParleyError VALIDATION_ERROR: the file is over 25 MB (`payload_too_large`), empty, or not an image, video or audio file
   * (`unsupported_media_type`), or the file at its address cannot be read
   * @throws ParleyError ACCESS_DENIED: an API key cannot upload (`session_required`), or the account has no wallet
   * @throws ParleyError CONFLICT: this wallet has too many unused uploads, or the storage quota of the wallet or server is used up
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files or lacks a tool for this one, or is still processing it
   * (`still_processing`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer. Aborted by `signal`, the promise rejects with the reason of the signal
   * @example const { id, url } = await client.media.upload(file, { onProgress: ({ loaded, total }) => console.log(loaded / total) });
   */
  upload(file: UploadFile, options: UploadOptions = {}): Promise<MediaInfo> {
    return this.#uploads.upload(file, options);
  }

  /**
   * The camera and microphone that this device sends to a call, room or stream, always in the same object; null without media. Never
   * throws.
   * @param id the id of the call, room or stream
   * @returns the stream
   */
  localStream(id: string): MediaStream | null {
    return this.#sessions.get(id)?.outgoing.localStream ?? null;
  }

  /**
   * The screen this device shares, with its audio; null if it shares none. Never throws.
   * @param id the id of the call, room or stream
   * @returns the stream of the screen
   */
  localScreen(id: string): MediaStream | null {
    const outgoing = this.#sessions.get(id)?.outgoing;
    return outgoing?.get('screen') ? outgoing.localScreen : null;
  }

  /**
   * Observes an element that shows a participant's video, so that the server sends the video at the size at which it is shown, and not at
   * all while it is hidden. The app plays the stream in the element as usual.
   * @param element the element, for example a `<video>`
   * @param what the track of a `media:track` event, or a participant and source
   * @returns a function that stops observing the element
   * @throws ParleyError VALIDATION_ERROR: there is no element, or this is not a browser: use view()
   * @example const detach = client.media.attach(video, { participant: participant.id, source: 'camera' })
   */
  attach(element: Element, what: Watched): () => void {
    return this.#elements.attach(element, what);
  }

  /**
   * Reports the size at which a view shows a participant's video, so that the server sends the video at that size, and not at all while it
   * is hidden. For views that are not elements of a page, such as those of React Native. If several views show a video, the largest counts.
   * Never throws.
   * @param what the track of a `media:track` event, or a participant and source
   * @param size the size of the view in device pixels, and whether it is visible
   * @returns the view: update() reports another size, close() ends it
   * @example
   * const view = client.media.view({ participant: participant.id, source: 'camera' }, { width: 640, height: 360, isVisible: true });
   * view.update({ width: 640, height: 360, isVisible: false });
   */
  view(what: Watched, size: VideoSize): VideoView {
    return this.#views.view(what, size);
  }

  /**
   * The other participants in the media of a call, room or stream, by its id. Empty if there is no media with this id. Never throws.
   * @param id the id of the call, room or stream
   * @returns the participants, without this wallet
   */
  participants(id: string): Participant[] {
    return this.#sessions.get(id)?.participants ?? [];
  }

  /**
   * Chooses the camera or microphone for current and later calls, rooms and streams. It is opened now only if this device is sending; if
   * that fails, the old device stays in use.
   * @param kind `camera` or `microphone`
   * @param deviceId the device's id, from navigator.mediaDevices.enumerateDevices()
   * @throws ParleyError NOT_FOUND: there is no such device
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused
   * @throws ParleyError CONFLICT: the device is in use
   */
  async setDevice(kind: 'camera' | 'microphone', deviceId: string): Promise<void> {
    for (const session of this.#sessions.values()) {
      const { outgoing } = session;
      // A camera that is off is not opened until it is switched on. A muted microphone is replaced now.
      const open = kind === 'camera' ? outgoing.isSending(kind) : outgoing.get(kind);
      if (open) await outgoing.switchDevice(kind, () => this.#devices.open(kind, deviceId));
      this.#emitLocal(session);
    }
    this.#devices.choose(kind, deviceId);
  }

  /** @internal Opens microphone and camera, on the devices that the app has chosen. */
  capture(wanted: { audio: boolean; video: boolean | VideoConfig }): Promise<MediaStreamTrack[]> {
    return this.#devices.capture(wanted);
  }

  /** @internal Lets the user choose a screen. */
  async captureScreen(wanted: { audio: boolean }): Promise<MediaStreamTrack[]> {
    if (!this.isAvailable)
      throw new ParleyError(
        'PERMISSION_DENIED',
        'This client cannot share a screen, because this runtime has no WebRTC.',
      );
    return this.#devices.captureScreen(wanted);
  }

  /**
   * The state of the receiving transport; `new` before anything is received. Never throws.
   * @param id the id of the call, room or stream
   * @returns null if there is no media with this id
   */
  receivingState(id: string): RTCPeerConnectionState | null {
    return this.#sessions.get(id)?.receivingState ?? null;
  }

  /**
   * Reads the WebRTC statistics of a call, room or stream in both directions, in the format of RTCPeerConnection.getStats().
   * @param id the id of the call, room or stream
   * @returns the reports of each direction
   * @throws ParleyError NOT_FOUND: no media with this id
   */
  async stats(id: string): Promise<{ sending: RTCStats[]; receiving: RTCStats[] }> {
    const session = this.#sessions.get(id);
    if (!session) throw new ParleyError('NOT_FOUND', `There is no media with the id ${id}.`);
    return session.stats();
  }

  /** @internal Whether this device has media in a call, room or stream, or is about to. */
  get isOpen(): boolean {
    return this.#sessions.size > 0 || this.#entering > 0;
  }

  /** @internal */
  session(id: string): MediaSession | undefined {
    return this.#sessions.get(id);
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
    if (!this.isAvailable || this.#sessions.has(id)) return {};
    const { rtpCapabilities } = await this.#connection.welcome();
    const { recvRtpCapabilities } = await this.#device.prepare(rtpCapabilities);
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
    this.#sessions.get(id)?.close();
    this.#sessions.set(id, session);
    if (options.muted) void session.pause('microphone');
    await asParleyError(() => this.#joinAndPublish(session, tracks, options));
    this.#emitLocal(session);
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
    const former = this.#sessions.get(from);
    if (!former) return;
    this.#sessions.delete(from);
    const outgoing = former.handOver();
    outgoing.continueIn({ codec });
    outgoing.drop(['screen', 'screen-audio', ...stops]);
    const session = this.#newSession({ scope: 'conference', id: to }, { outgoing });
    this.#sessions.get(to)?.close();
    this.#sessions.set(to, session);
    if (options.muted) void session.pause('microphone');
    await asParleyError(() => session.join(options.joined)).catch((error: unknown) =>
      this.#fail(session, error as Error),
    );
    this.#emitLocal(session);
  }

  #newSession(
    room: { scope: Scope; id: string },
    sending: { quality?: Quality | undefined; outgoing?: Outgoing },
  ): MediaSession {
    const { scope, id } = room;
    const memberships = this.#memberships.get(scope);
    const session = new MediaSession({
      connection: this.#connection,
      device: this.#device,
      room,
      ...sending,
      hooks: {
        onTrack: (track) => {
          this.#events.emit('media:track', track);
          this.#views.refresh();
        },
        onTrackEnded: (track) => this.#events.emit('media:track:ended', track),
        onFailed: (error) => this.#fail(session, error),
        onBroken: () => void memberships?.resume(id),
        onResumed: () => this.#views.refresh(),
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
    const [captured] = await Promise.all([tracks, session.join(options.joined)]);
    await Promise.all(
      captured.map((track) =>
        session.publish(track.kind === 'audio' ? 'microphone' : 'camera', track, options.codec),
      ),
    );
  }

  /** @internal Starts sending the camera, for the first time or again. @returns false if it was switched off while it opened */
  async startCamera(id: string, codec?: VideoCodec): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (!session) return true;
    session.outgoing.beginOpening('camera');
    const [track] = await this.capture({ audio: false, video: true });
    if (track) await asParleyError(() => session.publish('camera', track, codec));
    await session.settled();
    this.#emitLocal(session);
    return session.outgoing.isSending('camera') || this.#sessions.get(id) !== session;
  }

  /** @internal Starts sending the microphone. Opens it if necessary. */
  async startMicrophone(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    // Before the microphone opens, so that it stays muted if it is muted while it opens.
    session.outgoing.unpause('microphone');
    if (!session.outgoing.get('microphone')) {
      const [track] = await this.capture({ audio: true, video: false });
      if (track) await asParleyError(() => session.publish('microphone', track));
    }
    this.#emitLocal(session);
  }

  /** @internal Stops sending all sources. This device continues to receive. */
  async stopSending(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    const sources = ['microphone', 'camera', 'screen', 'screen-audio'] as const;
    await Promise.all(sources.map((source) => session.unpublish(source)));
    this.#emitLocal(session);
  }

  /**
   * @internal Shares a screen, window or tab that the user chooses, with its audio if the browser supports that. If any part fails, nothing
   * is shared. `onEnded` is called when the user stops sharing with the browser's button.
   */
  async startScreen(id: string, { audio = true, onEnded }: ScreenOptions = {}): Promise<void> {
    const tracks = await this.captureScreen({ audio });
    // Read only after the user has chosen, which may take long. If the room is left or rejoined after this point, the share fails.
    const session = this.#sessions.get(id);
    const isOver = () => !session || this.#sessions.get(id) !== session;
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
      if (session) this.#emitLocal(session);
    }
    if (!isOver()) return;
    tracks.forEach((track) => track.stop());
    throw new ParleyError('CONFLICT', 'The call or room was left before the screen was shared.');
  }

  /** @internal */
  async stopScreen(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    await Promise.all([session.unpublish('screen'), session.unpublish('screen-audio')]);
    this.#emitLocal(session);
  }

  async #endScreen(id: string, track: MediaStreamTrack, onEnded?: () => void): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session?.outgoing.localScreen.getTracks().includes(track)) return;
    try {
      await this.stopScreen(id);
    } catch (error) {
      this.#fail(session, error as Error);
    }
    onEnded?.();
  }

  /** @internal */
  close(id: string): void {
    this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
  }

  /** @internal */
  closeAll(): void {
    for (const id of [...this.#sessions.keys()]) this.close(id);
    this.#elements.close();
    this.#views.close();
  }

  /** @internal Registers the memberships that the media of a scope depends on. */
  resumeWith(scope: Scope, memberships: Memberships): void {
    this.#memberships.set(scope, memberships);
  }

  /** @internal Recovers media whose membership is claimed: with the existing transports, or otherwise with new ones. */
  async recover(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    try {
      await session?.resume();
    } catch (error) {
      if (isTransient(error) || !session || this.#sessions.get(id) !== session) throw error;
      await session.rejoin();
    }
  }

  /** Moves to the room's new node while the old one still works. If that fails, rejoins. */
  async #migrate(session: MediaSession): Promise<void> {
    await session.migrate().catch(() => this.#rejoin(session));
  }

  async #rejoin(session: MediaSession): Promise<void> {
    const isWanted = () =>
      this.#sessions.get(session.room.id) === session && this.#connection.state === 'connected';
    try {
      await retryTransient(() => session.rejoin(), isWanted);
    } catch (error) {
      this.#fail(session, error as Error);
    }
  }

  /** Emits `media:failed`, except for transient errors, and for media that is over, whose end has its own event. */
  #fail(session: MediaSession, error: Error): void {
    const isOver = this.#sessions.get(session.room.id) !== session;
    if (!isOver && !isTransient(error)) this.#events.emit('media:failed', { ...session.room, error });
  }

  #emitLocal(session: MediaSession): void {
    if (this.#sessions.get(session.room.id) !== session) return;
    this.#events.emit('media:local', { ...session.room, stream: session.outgoing.localStream });
  }

  #withSession(id: string, run: (session: MediaSession) => void): void {
    const session = this.#sessions.get(id);
    if (session) run(session);
    else if (this.#entering > 0) this.#early.push(() => this.#withSession(id, run));
  }
}

/** Converts the errors of the browser's media functions, so that the app always gets an error code. */
async function asParleyError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    throw new ParleyError('INTERNAL', `The browser’s media failed: ${String(cause)}`, { cause });
  }
}
