import type { Address } from '../protocol/common.ts';
import type { CallType, WireCall } from '../protocol/calls.ts';
import { ParleyError } from '../protocol/errors.ts';
import { isTransient } from './connection/transient.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import { toIso } from './connection/guard.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { Notifications } from './notifications.ts';
import { ActiveCalls } from './rooms/ActiveCalls.ts';
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

/** Audio and video calls between two wallets: `client.calls`. */
export class Calls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #active: ActiveCalls;
  /** Calls that are being started, by the callee's address. */
  readonly #starting = new Map<string, Promise<Call>>();

  constructor(
    connection: Connection,
    media: Media,
    notifications: Pick<Notifications, 'seen' | 'close'>,
    events: Listeners<ParleyEvents>,
  ) {
    this.#connection = connection;
    this.#media = media;
    this.#active = new ActiveCalls({ connection, media, notifications, events });
    connection.on('call:participant:away', (away) => events.emit('call:participant:away', away));
    connection.on('call:participant:updated', (participant) =>
      events.emit('call:participant:updated', fromWire(participant)),
    );
  }

  /**
   * Calls a wallet. It rings immediately; `call:answered`, `call:declined` or `call:missed` follows.
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
    this.#active.forget(callId);
  }

  /**
   * Ends a call. The caller may end it while it rings. Camera and microphone are off immediately, even if the request fails; a request
   * that failed for a transient reason is repeated.
   * @throws ParleyError NOT_FOUND, CONFLICT (the call is over), NETWORK_ERROR
   */
  async end(callId: string): Promise<void> {
    this.#active.forget(callId);
    try {
      await this.#connection.request('calls.end', { callId });
    } catch (error) {
      // This device has left. The other party should not have to wait for the grace period.
      if (isTransient(error)) this.#active.endLater(callId);
      throw error;
    }
  }

  /** Mutes the microphone immediately. @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or on another device), NETWORK_ERROR */
  async mute(callId: string): Promise<void> {
    this.#active.setMuted(callId, true);
    await this.#media.session(callId)?.pause('microphone');
    await this.#connection.request('calls.mute', { callId });
  }

  /** Unmutes the microphone. @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or on another device), NETWORK_ERROR */
  async unmute(callId: string): Promise<void> {
    await this.#media.session(callId)?.settled();
    await this.#connection.request('calls.unmute', { callId });
    this.#active.setMuted(callId, false);
    this.#media.session(callId)?.unpause('microphone');
  }

  /** Mutes or unmutes the microphone. @returns the new state: true if it is muted now */
  async toggleMute(callId: string): Promise<boolean> {
    const mute = !this.#active.isMuted(callId);
    await (mute ? this.mute(callId) : this.unmute(callId));
    return mute;
  }

  /** Switches the camera off. The call continues. @throws ParleyError NOT_FOUND, CONFLICT (the call is over, or on another device) */
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
   * Stops a recording that this wallet started. The call continues. `client.recordings` has the file soon after.
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
   * passes `video: true` does not show a user by accident.
   */
  async #captureForCall(callId: string, video?: boolean | VideoConfig): Promise<MediaStreamTrack[]> {
    this.#beginConnecting();
    if (video === false) return this.#captureFor('audio');
    const type = this.#active.get(callId)?.type ?? (await this.#typeOf(callId));
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
    const isOpen = ({ id }: WireCall) => this.#active.has(id) && this.#media.session(id) !== undefined;
    const call = await enter().catch((error: unknown) => {
      stop();
      throw error;
    });
    // The app started the same call again while it rings.
    if (onFailure === 'end' && call.status === 'ringing' && isOpen(call)) {
      stop();
      return fromWire(call);
    }
    this.#active.enter(call);
    if (!this.#media.isAvailable) return fromWire(call);
    this.#active.beginOpening(call);
    try {
      await this.#media.open('call', call.id, tracks, { codec, muted: this.#active.isMuted(call.id) });
    } catch (error) {
      stop();
      // A call that ended before this device's media was ready is no failure: an event reports it.
      if (this.#active.has(call.id)) {
        this.#active.doneOpening(call.id);
        // A failed rejoin must not end the call for the other devices.
        if (onFailure === 'leave') this.#active.leave(call.id);
        else await this.end(call.id).catch(() => undefined);
        throw error;
      }
    }
    return fromWire(this.#active.doneOpening(call.id) ?? call);
  }
}

/** No camera, or no microphone. */
const hasNoDevice = (error: unknown) => error instanceof ParleyError && error.code === 'NOT_FOUND';

const codecOf = (video: boolean | VideoConfig | undefined) =>
  typeof video === 'object' ? video.codec : undefined;
