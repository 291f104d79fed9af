import type { Address } from '../protocol/common.ts';
import { ParleyError } from '../protocol/errors.ts';
import { isTransient } from './connection/transient.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import { toIso } from './connection/guard.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { Notifications } from './notifications.ts';
import { ActiveCalls } from './rooms/ActiveCalls.ts';
import { EnteringCalls, type CameraOptions, type StartCall } from './rooms/EnteringCalls.ts';
import { CallStates } from './rooms/CallStates.ts';
import type { JoinedRooms } from './rooms/JoinedRooms.ts';
import type { CallState } from './rooms/stateTypes.ts';
import type { Call, CallRecord, ConferenceRoom, Observable, ParleyEvents, Recording } from './types.ts';

/** Selects calls that are over. */
export interface CallHistoryQuery {
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Calls to skip, 0 to 100,000. @default 0 */
  offset?: number;
  /** Only calls that were completed, missed or declined. @default all */
  status?: CallRecord['status'];
  /** Only incoming or only outgoing calls. @default both */
  direction?: Call['direction'];
  /** Only calls with this wallet. */
  with?: Address | (string & {});
  /** Only calls that started at or after this time. */
  from?: Date;
  /** Only calls that started at or before this time. */
  to?: Date;
}

interface CallsOptions {
  connection: Connection;
  media: Media;
  notifications: Pick<Notifications, 'seen' | 'close'>;
  /** The rooms that calls become. */
  rooms: Pick<JoinedRooms, 'arrive'>;
  events: Listeners<ParleyEvents>;
}

/** Audio and video calls between two wallets: `client.calls`. */
export class Calls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #active: ActiveCalls;
  readonly #states: CallStates;
  readonly #entering: EnteringCalls;

  constructor({ connection, media, notifications, rooms, events }: CallsOptions) {
    this.#connection = connection;
    this.#media = media;
    this.#active = new ActiveCalls({ connection, media, notifications, rooms, events });
    this.#states = new CallStates(media, events);
    this.#entering = new EnteringCalls({
      connection,
      media,
      active: this.#active,
      states: this.#states,
      end: (callId) => this.end(callId),
    });
  }

  /**
   * Calls a wallet. The call rings immediately, and `call:answered`, `call:declined` or `call:missed` follows. If the callee is calling
   * this wallet at the same moment, the callee's call is answered instead.
   * @param options.to the callee's wallet address
   * @param options.type `audio` or `video`. A video call without a camera starts with audio only
   * @param options.video the camera to use. Default: the chosen or default camera
   * @param options.audio the microphone to use; false opens none. Default: the chosen or default microphone
   * @returns the call, once this device's media is ready. If this wallet's call to the callee is already ringing, that call. So is
   * one that the callee has answered, if this device started it, or the device that did has lost its connection
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: a wallet cannot call itself
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @throws ParleyError NOT_FOUND: no microphone
   * @throws ParleyError CONFLICT: microphone or camera in use
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const call = await client.calls.start({ to: '0x…', type: 'video' });
   */
  async start(options: StartCall): Promise<Call> {
    return this.#entering.start(options);
  }

  /**
   * Answers an incoming call.
   * @param callId the call's id
   * @param options.video the camera to use; false leaves it off. An audio call is answered without video: see enableVideo(). Default: true
   * in a video call, if there is a camera
   * @param options.audio the microphone to use; false opens none. Default: true
   * @throws ParleyError NOT_FOUND: there is no such call, or no microphone
   * @throws ParleyError CONFLICT: another device has answered or the call no longer rings (`call_over`), this wallet is the caller, or the
   * microphone or camera is in use
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @example client.on('call:incoming', (call) => client.calls.answer(call.id));
   */
  async answer(callId: string, options: CameraOptions = {}): Promise<void> {
    await this.#entering.answer(callId, options);
  }

  /**
   * Declines an incoming call.
   * @param callId the id of the call
   * @param options.reason `busy`, `declined` or another text of 1 to 200 characters. Default: 'declined'
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call no longer rings (`call_over`), or this wallet is the caller
   */
  async decline(
    callId: string,
    options: { reason?: 'busy' | 'declined' | (string & {}) } = {},
  ): Promise<void> {
    try {
      await this.#connection.request('calls.decline', { callId, ...options });
    } catch (error) {
      if (error instanceof ParleyError && error.reason === 'call_over')
        await this.#active.catchUpWith(callId);
      throw error;
    }
    this.#states.left(callId);
    this.#active.forget(callId);
  }

  /**
   * Ends a call. The caller can also end it while it rings; the callee uses decline(). Camera and microphone are switched off immediately,
   * even if the request fails. A request that fails for a transient reason is retried in the background.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over, or still rings at this wallet (both `call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async end(callId: string): Promise<void> {
    this.#states.left(callId);
    this.#active.forget(callId);
    try {
      await this.#connection.request('calls.end', { callId });
    } catch (error) {
      // This device has already left. Without a retry, the other party would have to wait until the grace period is over.
      if (isTransient(error)) this.#active.endLater(callId);
      throw error;
    }
  }

  /**
   * Mutes the microphone immediately.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over (`call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async mute(callId: string): Promise<void> {
    this.#active.setMuted(callId, true);
    await this.#switchOff(callId, 'microphone', () => this.#connection.request('calls.mute', { callId }));
  }

  /**
   * Unmutes the microphone, and opens it if necessary. No effect if it is muted again meanwhile.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call, or no microphone
   * @throws ParleyError PERMISSION_DENIED: microphone refused
   * @throws ParleyError CONFLICT: the call is over (`call_over`), or the microphone is in use
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async unmute(callId: string): Promise<void> {
    const { sending } = this.#media;
    await sending.switchMicrophoneOn(callId, async () => {
      await this.#connection.request('calls.unmute', { callId });
      // Unless it was muted again during the request.
      if (sending.isSwitchingOn(callId, 'microphone')) this.#active.setMuted(callId, false);
    });
  }

  /**
   * Mutes the microphone, or unmutes it if it is muted. While it is being unmuted, it is muted again.
   * @param callId the id of the call
   * @returns whether the microphone is now muted
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over (`call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async toggleMute(callId: string): Promise<boolean> {
    const mute = !this.#active.isMuted(callId) || this.#media.sending.isSwitchingOn(callId, 'microphone');
    await (mute ? this.mute(callId) : this.unmute(callId));
    return mute;
  }

  /**
   * Switches the camera off. The call continues.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over (`call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async disableVideo(callId: string): Promise<void> {
    await this.#switchOff(callId, 'camera', () => this.#connection.request('calls.disableVideo', { callId }));
  }

  /**
   * Switches the camera on, even in an audio call. No effect if it is switched off again while it opens.
   * @param callId the id of the call
   * @throws ParleyError PERMISSION_DENIED: camera refused
   * @throws ParleyError NOT_FOUND: there is no such call, or no camera
   * @throws ParleyError CONFLICT: the call is over (`call_over`), or the camera is in use
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async enableVideo(callId: string): Promise<void> {
    await this.#media.sending.switchCameraOn(callId, () =>
      this.#connection.request('calls.enableVideo', { callId }),
    );
  }

  /**
   * The state of a call, which is kept up to date: the call, the other party, tracks, quality and more. It fits React's
   * useSyncExternalStore. Never throws.
   * @param callId the id of the call
   * @returns the state: get() returns it, subscribe() calls a listener after each change
   * @example
   * const state = client.calls.state(call.id);
   * const stop = state.subscribe(() => console.log(state.get().phase, state.get().trouble));
   */
  state(callId: string): Observable<CallState> {
    return this.#states.of(callId);
  }

  /**
   * Shares a screen, window or tab that the user chooses, with the other party. Call it in a click: browsers let the user choose a screen
   * only then. The other party gets `media:track` with the sources `screen` and `screen-audio`, and `call:participant:updated`. A recording
   * of the call contains the screen.
   * @param callId the id of the call
   * @param options.audio false shares the screen without its audio. Default: true, if the browser supports it
   * @throws ParleyError PERMISSION_DENIED: refused or not supported
   * @throws ParleyError CONFLICT: this device is not in the call, or left it while the user was choosing
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async startScreenShare(callId: string, options: { audio?: boolean } = {}): Promise<void> {
    if (!this.#active.memberships.has(callId))
      throw new ParleyError('CONFLICT', 'This device is not in the call: start, answer or rejoin it first.');
    await this.#media.sending.startScreen(callId, { audio: options.audio !== false });
  }

  /**
   * Stops sharing the screen. The call continues.
   * @param callId the id of the call
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async stopScreenShare(callId: string): Promise<void> {
    await this.#media.sending.stopScreen(callId);
  }

  /**
   * Adds people to an active call: it becomes a conference room of this wallet. The devices of both parties move there by themselves, with
   * the same camera and microphone, and their clients emit `call:moved`; a shared screen ends. The wallets are invited, and get
   * `conference:invited`. The call is over, with the reason `moved`, and so is a recording of it. The room has space for 100 people, and
   * video, audio, screens and chat are allowed; its host can change it. The other party's app moves only if it listens to `call:moved`.
   * Otherwise it gets `call:ended` and `conference:invited`.
   * @param callId the id of the call
   * @param addresses 1 to 50 wallet addresses. Those of the parties are passed over
   * @returns the room that the call has become
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError VALIDATION_ERROR: there are no or too many addresses, or all of them are in the call
   * @throws ParleyError INVALID_ADDRESS: one of the addresses is not a wallet address
   * @throws ParleyError CONFLICT: the call still rings or is over (`call_over`), has already become the room `extra.movedTo` (`moved`), or
   * this wallet has 200 rooms that have not ended
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many rooms or invitations; each address counts. Try again after `retryAfter` seconds
   * @example const room = await client.calls.addPeople(call.id, ['0x…']);
   */
  async addPeople(callId: string, addresses: (Address | (string & {}))[]): Promise<ConferenceRoom> {
    const room = await this.#connection.request('calls.addPeople', { callId, addresses });
    await this.#active.becameRoom(callId, room.id);
    return fromWire(room);
  }

  /**
   * Starts recording both parties. The recording belongs to this wallet. Both parties get `call:recording`, and the call's `isRecording`
   * becomes true. The recording stops when the call ends, becomes a room (`call:moved`), or with stopRecording(). The room is not recorded
   * until one of its hosts starts that.
   * @param callId the id of the call
   * @returns the recording, with status `recording`
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is not active or is already being recorded, or this wallet's recordings use all the storage it
   * may have
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or has no space
   */
  async startRecording(callId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('calls.startRecording', { callId }));
  }

  /**
   * Stops a recording that this wallet started. The call continues. The files appear in `client.recordings` soon after.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: this wallet is not recording the call
   */
  async stopRecording(callId: string): Promise<void> {
    await this.#connection.request('calls.stopRecording', { callId });
  }

  /**
   * Lists calls that are over, newest first.
   * @param query the calls to list. Default: the latest 50
   * @returns the calls
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
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

  /**
   * Lists the calls of this wallet, on any of its devices, that ring or are active.
   * @returns the calls
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async getActive(): Promise<Call[]> {
    return fromWire(await this.#connection.request('calls.getActive', {}));
  }

  /**
   * Continues a call on this device: after a reload, or in place of another device of the same wallet.
   * @param callId the id of the call
   * @param options.video the camera to use; false leaves it off. An audio call continues without video: see enableVideo(). Default: true in
   * a video call, if there is a camera
   * @param options.audio the microphone to use; false opens none. Default: true
   * @throws ParleyError NOT_FOUND: there is no such call, or no microphone
   * @throws ParleyError CONFLICT: the call is over (`call_over`), still rings at this wallet (answer() it), or the microphone or camera is
   * in use
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @example for (const call of await client.calls.getActive()) await client.calls.rejoin(call.id);
   */
  async rejoin(callId: string, options: CameraOptions = {}): Promise<void> {
    await this.#entering.rejoin(callId, options);
  }

  /**
   * Blocks a wallet. Its calls no longer ring here, and its messages and voicemails are not delivered. The blocked wallet cannot tell: its
   * calls seem to ring without an answer.
   * @param address the address of the wallet
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: a wallet cannot block itself
   * @throws ParleyError CONFLICT: this wallet has already blocked 10,000
   */
  async block(address: Address | (string & {})): Promise<void> {
    await this.#connection.request('calls.block', { address });
  }

  /**
   * Unblocks a wallet.
   * @param address the address of the wallet
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  async unblock(address: Address | (string & {})): Promise<void> {
    await this.#connection.request('calls.unblock', { address });
  }

  /**
   * Lists the wallets this wallet has blocked, most recently blocked first.
   * @returns the addresses of the wallets
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async getBlocked(): Promise<Address[]> {
    return this.#connection.request('calls.getBlocked', {});
  }

  async #switchOff(
    callId: string,
    source: 'camera' | 'microphone',
    tell: () => Promise<unknown>,
  ): Promise<void> {
    const switching = this.#media.sending.switchOff(callId, source, tell);
    this.#states.refresh(callId);
    await switching;
  }
}
