import type { Address } from '../protocol/common.ts';
import type { CallType, WireCall } from '../protocol/calls.ts';
import { ParleyError } from '../protocol/errors.ts';
import { isTransient, retryTransient } from './connection/transient.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import { toIso } from './connection/guard.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { Notifications } from './notifications.ts';
import type { Call, CallRecord, ParleyEvents, Recording, VideoCodec, VideoConfig } from './types.ts';

interface StartCall {
  /** The callee's wallet address. */
  to: Address | (string & {});
  type: CallType;
  video?: VideoConfig;
}

interface CameraOptions {
  video?: boolean | VideoConfig;
}

interface CallHistoryQuery {
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Calls to skip, 0 to 100,000. @default 0 */
  offset?: number;
  status?: CallRecord['status'];
  direction?: Call['direction'];
  /** Only calls with this wallet. */
  with?: Address | (string & {});
  /** Only calls from this time on. */
  from?: Date;
  /** Only calls up to this time. */
  to?: Date;
}

const endings = ['call:ended', 'call:declined', 'call:missed'] as const;
/** The last ended calls, whose events may arrive again. */
const rememberedEnds = 200;
/** When a server announces lost events, all its clients ask at once. A random delay spreads their requests. */
const spreadMs = 2_000;

/** Audio and video calls between two wallets: `client.calls`. */
export class Calls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #notifications: Pick<Notifications, 'seen' | 'close'>;
  readonly #events: Listeners<ParleyEvents>;
  /** The last known state of calls that ring or are active. */
  readonly #known = new Map<string, WireCall>();
  /** The last known state of calls whose media this device is opening. */
  readonly #entering = new Map<string, WireCall>();
  /** Calls this device takes part in. */
  readonly #own = new Set<string>();
  readonly #muted = new Set<string>();
  /** Calls that are being started, by the callee's address. */
  readonly #starting = new Map<string, Promise<Call>>();
  /** Calls whose end the app has been notified of. */
  readonly #over = new Set<string>();
  /** Calls this device has hung up while the server could not be reached. */
  readonly #toEnd = new Set<string>();

  constructor(
    connection: Connection,
    media: Media,
    notifications: Pick<Notifications, 'seen' | 'close'>,
    events: Listeners<ParleyEvents>,
  ) {
    this.#connection = connection;
    this.#media = media;
    this.#notifications = notifications;
    this.#events = events;
    for (const name of endings) {
      connection.on(name, (call) => {
        // A server that takes over from a failed one may send this event again. The app gets it once.
        if (this.#over.has(call.id)) return;
        this.#hideNotification(call);
        if (this.#entering.has(call.id)) this.#entering.set(call.id, call);
        this.#forget(call.id);
        events.emit(name, fromWire(call));
      });
    }
    connection.on('call:incoming', (call) => this.#onIncoming(call));
    connection.on('call:answered', (call) => this.#onAnswered(call));
    const isConnected = () => connection.state === 'connected';
    connection.onReconnected(
      () => void retryTransient(() => this.#catchUp(), isConnected).catch(() => undefined),
    );
    connection.on('session:missed', () => {
      const catchUp = () => retryTransient(() => this.#catchUp(), isConnected).catch(() => undefined);
      setTimeout(() => void catchUp(), Math.random() * spreadMs);
    });
    connection.onState((state) => {
      if (state === 'closed') this.#own.clear();
    });
    connection.on('media:replaced', ({ id }) => this.#own.delete(id));
    media.resumeWith('call', (callId) => this.#claim(callId));
    connection.on('call:recording', ({ callId, recording, by }) => this.#onRecording(callId, recording, by));
    connection.on('call:participant:away', (away) => events.emit('call:participant:away', away));
    connection.on('call:participant:updated', (participant) =>
      events.emit('call:participant:updated', fromWire(participant)),
    );
  }

  /**
   * Calls a wallet. It rings at once; `call:answered`, `call:declined` or `call:missed` follows.
   * @param options.to the callee's wallet address
   * @param options.type `audio` or `video`. A video call without a camera starts with audio only
   * @param options.video the camera to use. @default the chosen or default camera
   * @returns the call, once this device's media is ready. If a call to this wallet rings already, that call
   * @throws ParleyError INVALID_ADDRESS, VALIDATION_ERROR (a call to this wallet itself), PERMISSION_DENIED (microphone or camera
   * refused), NOT_FOUND (no microphone), CONFLICT (the device is in use), RATE_LIMIT_EXCEEDED, NETWORK_ERROR
   * @example const call = await client.calls.start({ to: '0x…', type: 'video' });
   */
  async start(options: StartCall): Promise<Call> {
    const key = String(options.to).toLowerCase();
    // A second click while the call is being started returns the same call.
    const starting =
      this.#starting.get(key) ?? this.#start(options).finally(() => this.#starting.delete(key));
    this.#starting.set(key, starting);
    return starting;
  }

  async #start({ to, type, video }: StartCall): Promise<Call> {
    this.#beginConnecting();
    const tracks = await this.#captureFor(type, video).catch((error: unknown) => {
      if (type === 'video' && hasNoDevice(error)) return this.#captureFor('audio');
      throw error;
    });
    return this.#withMedia(tracks, () => this.#connection.request('calls.start', { to, type }), {
      codec: video?.codec,
    });
  }

  /**
   * Answers an incoming call.
   * @param callId the call's id
   * @param options.video the camera to use; false leaves it off. An audio call opens no camera: see enableVideo().
   * @default true in a video call, if there is a camera
   * @throws ParleyError NOT_FOUND, CONFLICT (another device has answered, or the call no longer rings), PERMISSION_DENIED
   * @example client.on('call:incoming', (call) => client.calls.answer(call.id));
   */
  async answer(callId: string, options: CameraOptions = {}): Promise<void> {
    const tracks = await this.#captureForCall(callId, options.video);
    await this.#withMedia(tracks, () => this.#connection.request('calls.answer', { callId }), {
      codec: codecOf(options.video),
    });
  }

  /**
   * Declines an incoming call.
   * @param options.reason `busy`, `declined` or another text of 1 to 200 characters. @default 'declined'
   * @throws ParleyError NOT_FOUND, CONFLICT (the call no longer rings)
   */
  async decline(
    callId: string,
    options: { reason?: 'busy' | 'declined' | (string & {}) } = {},
  ): Promise<void> {
    await this.#connection.request('calls.decline', { callId, ...options });
    this.#forget(callId);
  }

  /**
   * Ends a call. The caller may end it while it rings. Camera and microphone are off at once, even if the request fails; a request
   * that failed for a transient reason is repeated.
   * @throws ParleyError NOT_FOUND, CONFLICT (the call is over), NETWORK_ERROR
   */
  async end(callId: string): Promise<void> {
    this.#forget(callId);
    try {
      await this.#connection.request('calls.end', { callId });
    } catch (error) {
      // This device has left. The other party should not have to wait for the grace period.
      if (isTransient(error)) {
        this.#toEnd.add(callId);
        void this.#retryEnd(callId);
      }
      throw error;
    }
  }

  /** Mutes the microphone, at once. @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or on another device), NETWORK_ERROR */
  async mute(callId: string): Promise<void> {
    this.#muted.add(callId);
    await this.#media.session(callId)?.pause('microphone');
    await this.#connection.request('calls.mute', { callId });
  }

  /** Unmutes the microphone. @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or on another device), NETWORK_ERROR */
  async unmute(callId: string): Promise<void> {
    await this.#media.session(callId)?.settled();
    await this.#connection.request('calls.unmute', { callId });
    this.#muted.delete(callId);
    this.#media.session(callId)?.unpause('microphone');
  }

  /** Mutes or unmutes the microphone. @returns the new state: true if it is muted now */
  async toggleMute(callId: string): Promise<boolean> {
    const mute = !this.#muted.has(callId);
    await (mute ? this.mute(callId) : this.unmute(callId));
    return mute;
  }

  /** Switches the camera off. The call goes on. @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or on another device) */
  async disableVideo(callId: string): Promise<void> {
    await this.#media.session(callId)?.pause('camera');
    await this.#connection.request('calls.disableVideo', { callId });
  }

  /**
   * Switches the camera on, also in an audio call.
   * @throws ParleyError PERMISSION_DENIED, NOT_FOUND (no such call, or no camera), CONFLICT (the call is over or on another device, or
   * the camera is in use)
   */
  async enableVideo(callId: string): Promise<void> {
    if (this.#media.isAvailable) await this.#media.startCamera(callId);
    try {
      await this.#connection.request('calls.enableVideo', { callId });
    } catch (error) {
      // The other party does not see it, so it must not stay on.
      await this.#media.session(callId)?.pause('camera');
      throw error;
    }
  }

  /**
   * Records both parties, for this wallet. Both get `call:recording`, and the call's `isRecording` is true. The recording stops with the
   * call, or with stopRecording().
   * @returns the recording, with status `recording`
   * @throws ParleyError NOT_FOUND, CONFLICT (the call is not active, or is recorded already), SERVICE_UNAVAILABLE (this server does not
   * record)
   */
  async startRecording(callId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('calls.startRecording', { callId }));
  }

  /**
   * Stops a recording that this wallet started. The call goes on. `client.recordings` has the file soon after.
   * @throws ParleyError NOT_FOUND, CONFLICT (this wallet does not record the call)
   */
  async stopRecording(callId: string): Promise<void> {
    await this.#connection.request('calls.stopRecording', { callId });
  }

  /**
   * Lists calls that are over, newest first.
   * @throws ParleyError VALIDATION_ERROR, INVALID_ADDRESS
   * @example const missed = await client.calls.getHistory({ status: 'missed', limit: 10 });
   */
  async getHistory(query: CallHistoryQuery = {}): Promise<CallRecord[]> {
    const { from, to, ...rest } = query;
    return fromWire(
      await this.#connection.request('calls.getHistory', {
        ...rest,
        ...(from ? { from: toIso('from', from) } : {}),
        ...(to ? { to: toIso('to', to) } : {}),
      }),
    );
  }

  /** Lists this wallet's calls that ring or are active. */
  async getActive(): Promise<Call[]> {
    return fromWire(await this.#connection.request('calls.getActive', {}));
  }

  /**
   * Continues an active call on this device: after a reload, or instead of another device of the same wallet.
   * @param options.video the camera to use, as in answer()
   * @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or was never answered by this wallet), PERMISSION_DENIED
   * @example for (const call of await client.calls.getActive()) await client.calls.rejoin(call.id);
   */
  async rejoin(callId: string, options: CameraOptions = {}): Promise<void> {
    const tracks = await this.#captureForCall(callId, options.video);
    await this.#withMedia(tracks, () => this.#connection.request('calls.rejoin', { callId }), {
      codec: codecOf(options.video),
      onFailure: 'leave',
    });
  }

  /**
   * Blocks a wallet. Its calls no longer ring here; the caller sees them ring and then be missed. @throws ParleyError
   * INVALID_ADDRESS, VALIDATION_ERROR, CONFLICT (too many)
   */
  async block(address: Address | (string & {})): Promise<void> {
    await this.#connection.request('calls.block', { address });
  }

  /** Unblocks a wallet. @throws ParleyError INVALID_ADDRESS */
  async unblock(address: Address | (string & {})): Promise<void> {
    await this.#connection.request('calls.unblock', { address });
  }

  /** Lists the wallets this wallet has blocked, latest first. */
  async getBlocked(): Promise<Address[]> {
    return this.#connection.request('calls.getBlocked', {});
  }

  async #typeOf(callId: string): Promise<CallType> {
    const active = await this.#connection.request('calls.getActive', {});
    return active.find((call) => call.id === callId)?.type ?? 'audio';
  }

  async #captureFor(type: CallType, video: boolean | VideoConfig = true): Promise<MediaStreamTrack[]> {
    if (!this.#media.isAvailable) return [];
    return this.#media.capture({ audio: true, video: type === 'video' && video });
  }

  /**
   * Opens the devices for a call that rings or is active. In an audio call only enableVideo() opens a camera, so an app that always
   * passes `video: true` shows nobody by accident.
   */
  async #captureForCall(callId: string, video?: boolean | VideoConfig): Promise<MediaStreamTrack[]> {
    this.#beginConnecting();
    if (video === false) return this.#captureFor('audio');
    const type = this.#known.get(callId)?.type ?? (await this.#typeOf(callId));
    return this.#captureFor(type, video).catch((error: unknown) => {
      // A callee without a camera can answer a video call.
      if (type === 'video' && hasNoDevice(error)) return this.#captureFor('audio');
      throw error;
    });
  }

  /** Opens the connection while the camera is being opened. */
  #beginConnecting(): void {
    this.#media.checkHandler();
    // The request that needs the connection reports the error.
    this.#connection.open().catch(() => undefined);
  }

  /**
   * Sends the request that enters a call, then opens its media. If either fails, the tracks are stopped and the call is ended or left.
   * @returns the last known state: the call may be answered, or over, before this device's media is ready
   */
  async #withMedia(
    tracks: MediaStreamTrack[],
    enter: () => Promise<WireCall>,
    { codec, onFailure = 'end' }: { codec?: VideoCodec | undefined; onFailure?: 'end' | 'leave' } = {},
  ): Promise<Call> {
    const stop = () => tracks.forEach((track) => track.stop());
    const isOpen = ({ id }: WireCall) => this.#own.has(id) && this.#media.session(id) !== undefined;
    const call = await enter().catch((error: unknown) => {
      stop();
      throw error;
    });
    // The app started the same call again while it rings.
    if (onFailure === 'end' && call.status === 'ringing' && isOpen(call)) {
      stop();
      return fromWire(call);
    }
    this.#known.set(call.id, call);
    this.#own.add(call.id);
    if (!this.#media.isAvailable) return fromWire(call);
    this.#entering.set(call.id, call);
    try {
      await this.#media.open('call', call.id, tracks, { codec, muted: this.#muted.has(call.id) });
    } catch (error) {
      stop();
      // A call that ended before this device's media was ready is no failure: an event reports it.
      if (this.#own.has(call.id)) {
        this.#entering.delete(call.id);
        // A failed rejoin must not end the call for the other devices.
        if (onFailure === 'leave') this.#leave(call.id);
        else await this.end(call.id).catch(() => undefined);
        throw error;
      }
    }
    const latest = this.#entering.get(call.id) ?? call;
    this.#entering.delete(call.id);
    return fromWire(latest);
  }

  /**
   * Resumes the calls that are still active and emits the events the app missed: the connection was lost, or events may have been lost.
   * Fails if the connection breaks again.
   */
  async #catchUp(): Promise<void> {
    for (const id of this.#toEnd) void this.#retryEnd(id);
    if (this.#known.size === 0) return;
    const known = [...this.#known.keys()];
    const calls = await this.#connection.request('calls.getActive', {});
    const active = new Set(calls.map((call) => call.id));
    const over = known.filter((id) => !active.has(id));
    for (const call of calls) {
      if (call.status === 'active' && this.#known.has(call.id)) {
        this.#onAnswered(call);
        this.#onRecording(call.id, call.isRecording, call.recordedBy);
      }
      if (call.status === 'ringing' && call.direction === 'incoming') this.#onIncoming(call);
    }
    const resumed = [...this.#own].filter((id) => active.has(id)).map((id) => this.#resume(id));
    await Promise.all([...resumed, ...(over.length > 0 ? [this.#reportEnds(over)] : [])]);
  }

  /** The server sends this event again after every reconnect. The app gets it once. */
  #onIncoming(call: WireCall): void {
    if (this.#over.has(call.id)) return;
    // Sent each time: the server may not have received the one before.
    this.#notifications.seen('call', call.id).catch(() => undefined);
    if (this.#known.has(call.id)) return;
    this.#known.set(call.id, call);
    this.#events.emit('call:incoming', fromWire(call));
  }

  /** From an event, or from catching up after a lost connection. The app gets the event once. */
  #onAnswered(call: WireCall): void {
    if (this.#entering.has(call.id)) this.#entering.set(call.id, call);
    if (this.#known.get(call.id)?.status === 'active' || this.#over.has(call.id)) return;
    this.#hideNotification(call);
    this.#known.set(call.id, call);
    this.#events.emit('call:answered', fromWire(call));
  }

  /** From an event, or from catching up after a lost connection. */
  #onRecording(callId: string, recording: boolean, by: Address | null): void {
    const known = this.#known.get(callId);
    if (known?.isRecording === recording) return;
    const recorder = by ?? known?.recordedBy;
    if (known)
      this.#known.set(callId, { ...known, isRecording: recording, recordedBy: recording ? by : null });
    if (recorder) this.#events.emit('call:recording', { callId, recording, by: recorder });
  }

  /** The call no longer rings: closes the notification that a push may have shown. */
  #hideNotification(call: WireCall): void {
    if (call.direction === 'outgoing') return;
    this.#notifications.close({ ...call, kind: 'call' }).catch(() => undefined);
  }

  /** Repeats an `end` that failed, as long as the client is connected and again after the next connection. */
  async #retryEnd(callId: string): Promise<void> {
    const isWanted = () => this.#toEnd.has(callId) && this.#connection.state === 'connected';
    if (!isWanted()) return;
    try {
      await retryTransient(() => this.#connection.request('calls.end', { callId }), isWanted);
    } catch (error) {
      if (isTransient(error)) return;
    }
    this.#toEnd.delete(callId);
  }

  async #resume(callId: string): Promise<void> {
    if (this.#media.session(callId)) await this.#media.recover(callId);
    else if (!this.#media.isAvailable) await this.#claim(callId);
  }

  /** Claims this device's side of a call for its new connection, unless another device has taken it over. */
  async #claim(callId: string): Promise<void> {
    try {
      await this.#connection.request('calls.rejoin', { callId, held: this.#connection.ids });
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'CONFLICT') await this.#onLost(callId);
      throw error;
    }
  }

  /** The call is over, or another device has taken it over. */
  async #onLost(callId: string): Promise<void> {
    const active = await this.#connection.request('calls.getActive', {});
    if (!active.some(({ id }) => id === callId)) return this.#reportEnds([callId]);
    this.#leave(callId);
    this.#events.emit('media:replaced', { scope: 'call', id: callId });
  }

  async #reportEnds(callIds: string[]): Promise<void> {
    const history = await this.#connection.request('calls.getHistory', { limit: 100 });
    for (const callId of callIds) {
      const record = history.find(({ id }) => id === callId);
      // An event has reported it during the request.
      if (!this.#known.has(callId)) continue;
      this.#forget(callId);
      if (!record) continue;
      const status = record.status === 'completed' ? 'ended' : record.status;
      this.#events.emit(`call:${status}`, fromWire({ ...record, status }));
    }
  }

  /** Removes this device from the call. The call may go on. */
  #leave(callId: string): void {
    this.#own.delete(callId);
    this.#media.close(callId);
  }

  #forget(callId: string): void {
    this.#known.delete(callId);
    this.#own.delete(callId);
    this.#muted.delete(callId);
    this.#media.close(callId);
    this.#over.add(callId);
    const [oldest] = this.#over;
    if (this.#over.size > rememberedEnds && oldest) this.#over.delete(oldest);
  }
}

/** No camera, or no microphone. */
const hasNoDevice = (error: unknown) => error instanceof ParleyError && error.code === 'NOT_FOUND';

const codecOf = (video: boolean | VideoConfig | undefined) =>
  typeof video === 'object' ? video.codec : undefined;
