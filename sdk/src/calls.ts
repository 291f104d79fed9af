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
  /** 1 to 100; 50 by default. */
  limit?: number;
  offset?: number;
  status?: CallRecord['status'];
  direction?: Call['direction'];
  /** Calls with this wallet only. */
  with?: Address | (string & {});
  from?: Date;
  to?: Date;
}

const endings = ['call:ended', 'call:declined', 'call:missed'] as const;
/** Calls whose end is remembered: it may be told again. */
const rememberedEnds = 200;
/** All clients of a server ask at the same moment, when it says that events were lost. */
const spreadMs = 2_000;

/** Audio and video calls between two wallets: `client.calls`. */
export class Calls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #notifications: Pick<Notifications, 'seen' | 'close'>;
  readonly #events: Listeners<ParleyEvents>;
  /** Calls that ring or run, as far as this client has heard. */
  readonly #known = new Map<string, WireCall>();
  /** Calls this device is on its way into, as last heard. */
  readonly #entering = new Map<string, WireCall>();
  /** Those this device takes part in. */
  readonly #own = new Set<string>();
  readonly #muted = new Set<string>();
  /** Calls that are being started, by the callee's address. */
  readonly #starting = new Map<string, Promise<Call>>();
  /** Calls that are over, as the app knows. */
  readonly #over = new Set<string>();
  /** Calls this device has hung up, of which the server does not know yet. */
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
        // Told again after a server died in the middle of it; the app needs to hear it once.
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
      const ask = () => retryTransient(() => this.#catchUp(), isConnected).catch(() => undefined);
      setTimeout(() => void ask(), Math.random() * spreadMs);
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
   * Calls a wallet: it rings at once, and `call:answered`, `call:declined` or `call:missed` follows. Resolves when this device's
   * media is ready, with the call as it is by then. Where a call to this wallet rings already, with that one. Without a camera, a video
   * call begins with sound alone.
   * @throws ParleyError INVALID_ADDRESS, PERMISSION_DENIED (no microphone or camera), RATE_LIMIT_EXCEEDED, NETWORK_ERROR
   * @example const call = await client.calls.start({ to: '0x…', type: 'video' });
   */
  async start(options: StartCall): Promise<Call> {
    const key = String(options.to).toLowerCase();
    // A double click is one call.
    const starting =
      this.#starting.get(key) ?? this.#start(options).finally(() => this.#starting.delete(key));
    this.#starting.set(key, starting);
    return starting;
  }

  async #start({ to, type, video }: StartCall): Promise<Call> {
    this.#connectMeanwhile();
    const tracks = await this.#captureFor(type, video).catch((error: unknown) => {
      if (type === 'video' && hasNoDevice(error)) return this.#captureFor('audio');
      throw error;
    });
    return this.#withMedia(tracks, () => this.#connection.request('calls.start', { to, type }), {
      codec: video?.codec,
    });
  }

  /**
   * Takes an incoming call.
   * @param options.video the camera to use; false leaves it off. In a video call it is on by default, where there is one; an audio call
   * opens no camera, whatever this says: see enableVideo
   * @throws ParleyError CONFLICT when another device was first or it no longer rings, PERMISSION_DENIED
   */
  async answer(callId: string, options: CameraOptions = {}): Promise<void> {
    const tracks = await this.#captureForCall(callId, options.video);
    await this.#withMedia(tracks, () => this.#connection.request('calls.answer', { callId }), {
      codec: codecOf(options.video),
    });
  }

  /** Refuses an incoming call. @param options.reason `busy`, `declined` (the default) or anything of up to 200 characters */
  async decline(
    callId: string,
    options: { reason?: 'busy' | 'declined' | (string & {}) } = {},
  ): Promise<void> {
    await this.#connection.request('calls.decline', { callId, ...options });
    this.#forget(callId);
  }

  /** Hangs up; the caller may do so while it rings. Camera and microphone are off at once. */
  async end(callId: string): Promise<void> {
    this.#forget(callId);
    try {
      await this.#connection.request('calls.end', { callId });
    } catch (error) {
      // This device has left: nobody shall wait for it because network or server were in trouble in this moment.
      if (isTransient(error)) {
        this.#toEnd.add(callId);
        void this.#endAtLast(callId);
      }
      throw error;
    }
  }

  async mute(callId: string): Promise<void> {
    this.#muted.add(callId);
    await this.#media.session(callId)?.pause('microphone');
    await this.#connection.request('calls.mute', { callId });
  }

  async unmute(callId: string): Promise<void> {
    await this.#media.session(callId)?.settled();
    await this.#connection.request('calls.unmute', { callId });
    this.#muted.delete(callId);
    this.#media.session(callId)?.unpause('microphone');
  }

  /** @returns the new mute status: true when muted now */
  async toggleMute(callId: string): Promise<boolean> {
    const mute = !this.#muted.has(callId);
    await (mute ? this.mute(callId) : this.unmute(callId));
    return mute;
  }

  /** Switches the camera off; the call goes on. */
  async disableVideo(callId: string): Promise<void> {
    await this.#media.session(callId)?.pause('camera');
    await this.#connection.request('calls.disableVideo', { callId });
  }

  /** Switches the camera on, in an audio call too. @throws ParleyError PERMISSION_DENIED */
  async enableVideo(callId: string): Promise<void> {
    if (this.#media.isAvailable) await this.#media.startCamera(callId);
    try {
      await this.#connection.request('calls.enableVideo', { callId });
    } catch (error) {
      // Nobody sees it: then it must not be on.
      await this.#media.session(callId)?.pause('camera');
      throw error;
    }
  }

  /**
   * Records what both send, for this wallet: both hear `call:recording`, and see it as the call's `isRecording`. It ends with the call, or
   * by stopRecording().
   * @throws ParleyError CONFLICT (not answered, over, or recorded already), SERVICE_UNAVAILABLE (this server records nothing)
   */
  async startRecording(callId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('calls.startRecording', { callId }));
  }

  /** By who started it: the call goes on. `client.recordings` has it soon after. */
  async stopRecording(callId: string): Promise<void> {
    await this.#connection.request('calls.stopRecording', { callId });
  }

  /** Calls that are over, newest first. */
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

  /** This wallet's calls that ring or run. */
  async getActive(): Promise<Call[]> {
    return fromWire(await this.#connection.request('calls.getActive', {}));
  }

  /**
   * Takes up the media of a running call again: after a reload, or on another device of the same wallet.
   * @param options.video as in answer()
   */
  async rejoin(callId: string, options: CameraOptions = {}): Promise<void> {
    const tracks = await this.#captureForCall(callId, options.video);
    await this.#withMedia(tracks, () => this.#connection.request('calls.rejoin', { callId }), {
      codec: codecOf(options.video),
      onFailure: 'leave',
    });
  }

  /** Calls from this wallet ring no more; it sees them ring, and be missed. */
  async block(address: Address | (string & {})): Promise<void> {
    await this.#connection.request('calls.block', { address });
  }

  async unblock(address: Address | (string & {})): Promise<void> {
    await this.#connection.request('calls.unblock', { address });
  }

  /** Whom this wallet has blocked, latest first. */
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
   * The devices for a call that rings or runs. In an audio call nobody expects to be seen: only enableVideo opens a camera there, so an
   * app that always passes `video: true` shows nobody by accident.
   */
  async #captureForCall(callId: string, video?: boolean | VideoConfig): Promise<MediaStreamTrack[]> {
    this.#connectMeanwhile();
    if (video === false) return this.#captureFor('audio');
    const type = this.#known.get(callId)?.type ?? (await this.#typeOf(callId));
    return this.#captureFor(type, video).catch((error: unknown) => {
      // Who is called may have no camera, and can take the call all the same.
      if (type === 'video' && hasNoDevice(error)) return this.#captureFor('audio');
      throw error;
    });
  }

  /** Opening a camera and opening a connection take a while each, and need not wait for each other. */
  #connectMeanwhile(): void {
    this.#media.checkHandler();
    // Why it fails, the request that needs it will say.
    this.#connection.open().catch(() => undefined);
  }

  /**
   * Runs the request that enters a call, then its media. Whatever fails, no camera stays on and no call stays half open.
   * @returns the call as last heard: it may be answered, or over, before this device's media is there
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
    // Started once more while it rings.
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
      // Over before this device was in it: that is news, and no failure.
      if (this.#own.has(call.id)) {
        this.#entering.delete(call.id);
        // A rejoin that fails must not hang up for everybody.
        if (onFailure === 'leave') this.#leave(call.id);
        else await this.end(call.id).catch(() => undefined);
        throw error;
      }
    }
    const latest = this.#entering.get(call.id) ?? call;
    this.#entering.delete(call.id);
    return fromWire(latest);
  }

  /** Connected again, or events were lost: takes up what still runs, and tells of what ended meanwhile. When the connection breaks again, so does this. */
  async #catchUp(): Promise<void> {
    for (const id of this.#toEnd) void this.#endAtLast(id);
    if (this.#known.size === 0) return;
    await this.#hearAll((active) =>
      [...this.#own].filter((id) => active.has(id)).map((id) => this.#takeUp(id)),
    );
  }

  /** How things stand, when events may have been missed. */
  async #hearAll(thenDo: (active: Set<string>) => Promise<void>[] = () => []): Promise<void> {
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
    await Promise.all([...thenDo(active), ...(over.length > 0 ? [this.#reportEnds(over)] : [])]);
  }

  /** Told again after every reconnect; the app needs to hear it once. */
  #onIncoming(call: WireCall): void {
    if (this.#over.has(call.id)) return;
    // Again when it is told again: the server may not have heard.
    this.#notifications.seen('call', call.id).catch(() => undefined);
    if (this.#known.has(call.id)) return;
    this.#known.set(call.id, call);
    this.#events.emit('call:incoming', fromWire(call));
  }

  /** Heard from the server, or found out after having been away: the app is told once. */
  #onAnswered(call: WireCall): void {
    if (this.#entering.has(call.id)) this.#entering.set(call.id, call);
    if (this.#known.get(call.id)?.status === 'active' || this.#over.has(call.id)) return;
    this.#hideNotification(call);
    this.#known.set(call.id, call);
    this.#events.emit('call:answered', fromWire(call));
  }

  /** Heard live, or found out after having been away. */
  #onRecording(callId: string, recording: boolean, by: Address | null): void {
    const known = this.#known.get(callId);
    if (known?.isRecording === recording) return;
    const who = by ?? known?.recordedBy;
    if (known)
      this.#known.set(callId, { ...known, isRecording: recording, recordedBy: recording ? by : null });
    if (who) this.#events.emit('call:recording', { callId, recording, by: who });
  }

  /** It rings no more: nor does what a push may have shown of it here. */
  #hideNotification(call: WireCall): void {
    if (call.direction === 'outgoing') return;
    this.#notifications.close({ ...call, kind: 'call' }).catch(() => undefined);
  }

  /** While it is connected; and again with the next connection. */
  async #endAtLast(callId: string): Promise<void> {
    const isWanted = () => this.#toEnd.has(callId) && this.#connection.state === 'connected';
    if (!isWanted()) return;
    try {
      await retryTransient(() => this.#connection.request('calls.end', { callId }), isWanted);
    } catch (error) {
      if (isTransient(error)) return;
    }
    // Ended now, or before.
    this.#toEnd.delete(callId);
  }

  async #takeUp(callId: string): Promise<void> {
    if (this.#media.session(callId)) await this.#media.recover(callId);
    else if (!this.#media.isAvailable) await this.#claim(callId);
  }

  /** This device's part in a call, on its new connection; unless another device took it over meanwhile. */
  async #claim(callId: string): Promise<void> {
    try {
      await this.#connection.request('calls.rejoin', { callId, held: this.#connection.ids });
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'CONFLICT') await this.#onLost(callId);
      throw error;
    }
  }

  /** The call is over, or another device has it. */
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
      // Heard of live meanwhile.
      if (!this.#known.has(callId)) continue;
      this.#forget(callId);
      if (!record) continue;
      const status = record.status === 'completed' ? 'ended' : record.status;
      this.#events.emit(`call:${status}`, fromWire({ ...record, status }));
    }
  }

  /** This device is out of the call; the call may go on. */
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
