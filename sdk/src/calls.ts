import type { Address } from '../protocol/common.ts';
import type { CallType, WireCall } from '../protocol/calls.ts';
import { ParleyError } from '../protocol/errors.ts';
import { hasMedia } from './capture.ts';
import type { Connection } from './Connection.ts';
import { fromWire } from './fromWire.ts';
import type { Listeners } from './Listeners.ts';
import type { Media } from './media.ts';
import type { Call, CallRecord, ParleyEvents, VideoCodec, VideoConfig } from './types.ts';

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

/** Audio and video calls between two wallets: `client.calls`. */
export class Calls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #events: Listeners<ParleyEvents>;
  /** Calls that ring or run, as far as this client has heard. */
  readonly #known = new Map<string, WireCall>();
  /** Those this device takes part in. */
  readonly #own = new Set<string>();
  readonly #muted = new Set<string>();
  /** Calls this device has hung up, of which the server does not know yet. */
  readonly #toEnd = new Set<string>();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#events = events;
    for (const name of endings) {
      connection.on(name, (call) => {
        this.#forget(call.id);
        events.emit(name, fromWire(call));
      });
    }
    connection.on('call:incoming', (call) => {
      this.#known.set(call.id, call);
      events.emit('call:incoming', fromWire(call));
    });
    connection.on('call:answered', (call) => this.#onAnswered(call));
    connection.onReconnected(() => void this.#catchUp().catch(() => undefined));
    connection.on('media:replaced', ({ id }) => this.#own.delete(id));
    media.takeUpWith('call', async (callId) => {
      await connection.request('calls.rejoin', { callId });
    });
    connection.on('call:participant:updated', (participant) =>
      events.emit('call:participant:updated', fromWire(participant)),
    );
  }

  /**
   * Calls a wallet. Resolves when it rings; `call:answered`, `call:declined` or `call:missed` follows.
   * @throws ParleyError INVALID_ADDRESS, PERMISSION_DENIED (no microphone or camera), RATE_LIMIT_EXCEEDED, NETWORK_ERROR
   * @example const call = await client.calls.start({ to: '0x…', type: 'video' });
   */
  async start({ to, type, video }: StartCall): Promise<Call> {
    const tracks = await this.#captureFor(type, video);
    return this.#withMedia(tracks, () => this.#connection.request('calls.start', { to, type }), video?.codec);
  }

  /**
   * Takes an incoming call.
   * @param options.video the camera to use; false leaves it off. In a video call it is on by default, where there is one
   * @throws ParleyError CONFLICT when another device was first or it no longer rings, PERMISSION_DENIED
   */
  async answer(callId: string, options: CameraOptions = {}): Promise<void> {
    const type = this.#known.get(callId)?.type ?? (await this.#typeOf(callId));
    const tracks = await this.#captureWhatThereIs(type, options.video);
    await this.#withMedia(tracks, () => this.#connection.request('calls.answer', { callId }));
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
      // This device has left: nobody shall wait for it because the network was away in this moment.
      if (error instanceof ParleyError && error.code === 'NETWORK_ERROR') this.#toEnd.add(callId);
      throw error;
    }
  }

  async mute(callId: string): Promise<void> {
    this.#muted.add(callId);
    await this.#media.session(callId)?.pause('microphone');
    await this.#connection.request('calls.mute', { callId });
  }

  async unmute(callId: string): Promise<void> {
    this.#muted.delete(callId);
    await this.#connection.request('calls.unmute', { callId });
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
    if (hasMedia()) await this.#media.startCamera(callId);
    await this.#connection.request('calls.enableVideo', { callId });
  }

  /** Calls that are over, newest first. */
  async getHistory(query: CallHistoryQuery = {}): Promise<CallRecord[]> {
    const { from, to, ...rest } = query;
    return fromWire(
      await this.#connection.request('calls.getHistory', {
        ...rest,
        ...(from ? { from: from.toISOString() } : {}),
        ...(to ? { to: to.toISOString() } : {}),
      }),
    );
  }

  /** This wallet's calls that ring or run. */
  async getActive(): Promise<Call[]> {
    return fromWire(await this.#connection.request('calls.getActive', {}));
  }

  /** Takes up the media of a running call again: after a reload, or on another device of the same wallet. */
  async rejoin(callId: string, options: CameraOptions = {}): Promise<void> {
    const tracks = await this.#captureWhatThereIs(await this.#typeOf(callId), options.video);
    await this.#withMedia(tracks, () => this.#connection.request('calls.rejoin', { callId }));
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
    if (!hasMedia()) return [];
    return this.#media.capture({ audio: true, video: type === 'video' && video });
  }

  /** Who is called may have no camera, and can take the call all the same. */
  async #captureWhatThereIs(type: CallType, video?: boolean | VideoConfig): Promise<MediaStreamTrack[]> {
    return this.#captureFor(type, video).catch((error: unknown) => {
      const hasNoCamera = error instanceof ParleyError && error.code === 'NOT_FOUND' && type === 'video';
      if (hasNoCamera) return this.#captureFor('audio');
      throw error;
    });
  }

  /** Runs the request that enters a call, then its media. Whatever fails, no camera stays on and no call stays half open. */
  async #withMedia(
    tracks: MediaStreamTrack[],
    enter: () => Promise<WireCall>,
    codec?: VideoCodec,
  ): Promise<Call> {
    const call = await enter().catch((error: unknown) => {
      for (const track of tracks) track.stop();
      throw error;
    });
    this.#known.set(call.id, call);
    this.#own.add(call.id);
    if (hasMedia()) {
      try {
        await this.#media.open('call', call.id, tracks, codec);
      } catch (error) {
        for (const track of tracks) track.stop();
        await this.end(call.id).catch(() => undefined);
        throw error;
      }
    }
    return fromWire(call);
  }

  /** Connected again: takes up what still runs, and tells of what ended meanwhile. When the connection breaks again, so does this. */
  async #catchUp(): Promise<void> {
    await Promise.all([...this.#toEnd].map((id) => this.#endAtLast(id)));
    const known = [...this.#known.keys()];
    if (known.length === 0) return;
    const calls = await this.#connection.request('calls.getActive', {});
    const active = new Set(calls.map((call) => call.id));
    const over = known.filter((id) => !active.has(id));
    for (const call of calls) {
      if (call.status === 'active' && this.#known.has(call.id)) this.#onAnswered(call);
    }
    await Promise.all([
      ...[...this.#own].filter((id) => active.has(id)).map((id) => this.#takeUp(id)),
      ...(over.length > 0 ? [this.#reportEnds(over)] : []),
    ]);
  }

  /** Heard from the server, or found out after having been away: the app is told once. */
  #onAnswered(call: WireCall): void {
    if (this.#known.get(call.id)?.status === 'active') return;
    this.#known.set(call.id, call);
    this.#events.emit('call:answered', fromWire(call));
  }

  async #endAtLast(callId: string): Promise<void> {
    this.#toEnd.delete(callId);
    await this.end(callId).catch(() => undefined);
  }

  async #takeUp(callId: string): Promise<void> {
    if (this.#media.session(callId)) await this.#media.recover(callId);
    else await this.#connection.request('calls.rejoin', { callId });
  }

  async #reportEnds(callIds: string[]): Promise<void> {
    const history = await this.#connection.request('calls.getHistory', { limit: 100 });
    for (const callId of callIds) {
      const record = history.find(({ id }) => id === callId);
      this.#forget(callId);
      if (!record) continue;
      const status = record.status === 'completed' ? 'ended' : record.status;
      this.#events.emit(`call:${status}`, fromWire({ ...record, status }));
    }
  }

  #forget(callId: string): void {
    this.#known.delete(callId);
    this.#own.delete(callId);
    this.#muted.delete(callId);
    this.#media.close(callId);
  }
}
