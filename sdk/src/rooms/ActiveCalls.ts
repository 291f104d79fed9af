import type { Address } from '../../protocol/common.ts';
import type { WireCall } from '../../protocol/calls.ts';
import type { PushMessage } from '../../protocol/notifications.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { isTransient, retryTransient } from '../connection/transient.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents } from '../types.ts';

const endings = ['call:ended', 'call:declined', 'call:missed'] as const;
/** The maximum number of ended calls that are remembered, because their events may arrive again. */
const rememberedEnds = 200;
/** The maximum random delay before catching up with lost events. Otherwise all clients would send requests at the same moment. */
const spreadMs = 2_000;

/** The part of `client.notifications` that calls need. */
interface CallNotifications {
  seen(kind: 'call', subject: string): Promise<void>;
  close(shown: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): Promise<void>;
}

interface ActiveCallsOptions {
  connection: Connection;
  media: Media;
  notifications: CallNotifications;
  events: Listeners<ParleyEvents>;
}

/** The calls of this wallet that ring or are active: their last known state, and how this device resumes them after a lost connection. */
export class ActiveCalls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #notifications: CallNotifications;
  readonly #events: Listeners<ParleyEvents>;
  /** The last known state of calls that ring or are active. */
  readonly #known = new Map<string, WireCall>();
  /** The last known state of calls whose media this device is opening. */
  readonly #opening = new Map<string, WireCall>();
  /** Calls this device is in. */
  readonly #own = new Set<string>();
  /** Calls whose microphone the user has muted. */
  readonly #muted = new Set<string>();
  /** Calls that are over for the app. Later events about them are ignored. */
  readonly #over = new Set<string>();
  /** Calls that this device has ended while the server could not be reached. */
  readonly #toEnd = new Set<string>();

  constructor({ connection, media, notifications, events }: ActiveCallsOptions) {
    this.#connection = connection;
    this.#media = media;
    this.#notifications = notifications;
    this.#events = events;
    for (const name of endings) {
      connection.on(name, (call) => {
        // A server that takes over from a failed one may send this event again, but the app gets it only once.
        if (this.#over.has(call.id)) return;
        this.#hideNotification(call);
        if (this.#opening.has(call.id)) this.#opening.set(call.id, call);
        this.forget(call.id);
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
  }

  /** The last known state of a call that rings or is active. */
  get(callId: string): WireCall | undefined {
    return this.#known.get(callId);
  }

  /** Whether this device is in a call. */
  has(callId: string): boolean {
    return this.#own.has(callId);
  }

  isMuted(callId: string): boolean {
    return this.#muted.has(callId);
  }

  setMuted(callId: string, muted: boolean): void {
    if (muted) this.#muted.add(callId);
    else this.#muted.delete(callId);
  }

  /** Adds a call that this device has entered. */
  enter(call: WireCall): void {
    this.#known.set(call.id, call);
    this.#own.add(call.id);
  }

  /** Keeps the last known state of a call until doneOpening(), even if the call ends. */
  beginOpening(call: WireCall): void {
    this.#opening.set(call.id, call);
  }

  /** @returns the last known state of the call, which may have been answered or have ended */
  doneOpening(callId: string): WireCall | undefined {
    const latest = this.#opening.get(callId);
    this.#opening.delete(callId);
    return latest;
  }

  /** Removes this device from the call. The call may continue on another device. */
  leave(callId: string): void {
    this.#own.delete(callId);
    this.#media.close(callId);
  }

  /** Removes a call that is over, or that this device has ended. */
  forget(callId: string): void {
    this.#known.delete(callId);
    this.#own.delete(callId);
    this.#muted.delete(callId);
    this.#media.close(callId);
    this.#over.add(callId);
    const [oldest] = this.#over;
    if (this.#over.size > rememberedEnds && oldest) this.#over.delete(oldest);
  }

  /** Retries a request to end a call that has failed for a transient reason: now, and after each reconnect until it succeeds. */
  endLater(callId: string): void {
    this.#toEnd.add(callId);
    void this.#retryEnd(callId);
  }

  /**
   * Resumes the calls that are still active, and emits the events that the app has missed. Called after a lost connection, or when events
   * may have been lost. Fails if the connection breaks again.
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

  /** The server sends `call:incoming` again after every reconnect, but the app gets it only once. */
  #onIncoming(call: WireCall): void {
    if (this.#over.has(call.id)) return;
    // Reported each time, because the server may not have received the previous report.
    this.#notifications.seen('call', call.id).catch(() => undefined);
    if (this.#known.has(call.id)) return;
    this.#known.set(call.id, call);
    this.#events.emit('call:incoming', fromWire(call));
  }

  /** Called for an event, and when catching up after a lost connection. The app gets `call:answered` only once. */
  #onAnswered(call: WireCall): void {
    if (this.#opening.has(call.id)) this.#opening.set(call.id, call);
    if (this.#known.get(call.id)?.status === 'active' || this.#over.has(call.id)) return;
    this.#hideNotification(call);
    this.#known.set(call.id, call);
    this.#events.emit('call:answered', fromWire(call));
  }

  /** Called for an event, and when catching up after a lost connection. */
  #onRecording(callId: string, recording: boolean, by: Address | null): void {
    const known = this.#known.get(callId);
    if (known?.isRecording === recording) return;
    const recorder = by ?? known?.recordedBy;
    if (known)
      this.#known.set(callId, { ...known, isRecording: recording, recordedBy: recording ? by : null });
    if (recorder) this.#events.emit('call:recording', { callId, recording, by: recorder });
  }

  /** Closes the notification that a push may have shown, because the call no longer rings. */
  #hideNotification(call: WireCall): void {
    if (call.direction === 'outgoing') return;
    this.#notifications.close({ ...call, kind: 'call' }).catch(() => undefined);
  }

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

  /** Called when the server refuses to resume a call: the call is over, or another device has taken it over. */
  async #onLost(callId: string): Promise<void> {
    const active = await this.#connection.request('calls.getActive', {});
    if (!active.some(({ id }) => id === callId)) return this.#reportEnds([callId]);
    this.leave(callId);
    this.#events.emit('media:replaced', { scope: 'call', id: callId });
  }

  async #reportEnds(callIds: string[]): Promise<void> {
    const history = await this.#connection.request('calls.getHistory', { limit: 100 });
    for (const callId of callIds) {
      const record = history.find(({ id }) => id === callId);
      // During the request, an event has already reported the end.
      if (!this.#known.has(callId)) continue;
      this.forget(callId);
      if (!record) continue;
      const status = record.status === 'completed' ? 'ended' : record.status;
      this.#events.emit(`call:${status}`, fromWire({ ...record, status }));
    }
  }
}
