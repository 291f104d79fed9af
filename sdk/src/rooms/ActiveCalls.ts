import type { Address } from '../../protocol/common.ts';
import type { WireCall, WireEnteredCall } from '../../protocol/calls.ts';
import type { ParleyError } from '../../protocol/errors.ts';
import type { JoinedMedia, WantedMedia } from '../../protocol/media.ts';
import type { PushMessage } from '../../protocol/notifications.ts';
import type { EventOf } from '../../protocol/wire.ts';
import { isTransient, retryTransient } from '../connection/transient.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents } from '../types.ts';
import type { JoinedRooms } from './JoinedRooms.ts';
import { Memberships } from './Memberships.ts';

const endings = ['call:ended', 'call:declined', 'call:missed'] as const;

/** The part of `client.notifications` that calls need. */
interface CallNotifications {
  seen(kind: 'call', subject: string): Promise<void>;
  close(shown: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): Promise<void>;
}

interface ActiveCallsOptions {
  connection: Connection;
  media: Media;
  notifications: CallNotifications;
  rooms: Pick<JoinedRooms, 'arrive'>;
  events: Listeners<ParleyEvents>;
}

/** A call, with its last known state, which is updated even when the call ends. */
interface KnownCall {
  latest: WireCall;
}

/** The calls of this wallet that ring or are active, on this or another device. */
export class ActiveCalls {
  readonly #connection: Connection;
  readonly #notifications: CallNotifications;
  readonly #rooms: Pick<JoinedRooms, 'arrive'>;
  readonly #events: Listeners<ParleyEvents>;
  readonly #known = new Map<string, KnownCall>();
  /** The calls this device is in. */
  readonly memberships: Memberships<KnownCall, WireCall>;
  /** Calls whose microphone the user has muted. */
  readonly #muted = new Set<string>();
  /** Calls whose other party has lost its connection. */
  readonly #away = new Set<string>();
  /** Calls that this device has ended while the server could not be reached. */
  readonly #toEnd = new Set<string>();
  /** The calls that this device is leaving for the rooms that they have become. */
  readonly #following = new Map<string, Promise<void>>();

  constructor({ connection, media, notifications, rooms, events }: ActiveCallsOptions) {
    this.#connection = connection;
    this.#notifications = notifications;
    this.#rooms = rooms;
    this.#events = events;
    const memberships = new Memberships<KnownCall, WireCall>({
      connection,
      media,
      events,
      scope: 'call',
      claim: (callId) => connection.request('calls.rejoin', { callId, held: connection.ids }),
      catchUp: (call) => {
        this.#catchUp(call);
        // The other party may have returned meanwhile. If it is still away, the server reports that again, and the event comes after this.
        if (this.#away.has(call.id))
          this.#onAway({ callId: call.id, walletAddress: otherParty(call), isAway: false });
      },
      onRefused: (callId, error) => this.#onRefused(callId, error),
      onReturn: (mayHaveMissed) => this.#onReturn(mayHaveMissed),
    });
    this.memberships = memberships;
    connection.onState((state) => {
      if (state === 'closed') this.#forgetAll();
    });
    for (const name of endings) memberships.on(name, (call) => this.#onEnded(name, call));
    // Rings at once, even while another call is being started.
    connection.on('call:incoming', (call) => this.#onIncoming(call));
    memberships.on('call:answered', (call) => this.#onAnswered(call));
    memberships.on('call:participant:away', (away) => this.#onAway(away));
    memberships.on('call:quality', ({ participantId, ...quality }) => {
      const session = media.session(quality.callId);
      const isOwn = session?.participantId === participantId;
      if (session) events.emit('call:quality', { ...quality, isOwn });
    });
    memberships.on('call:participant:updated', (participant) =>
      events.emit('call:participant:updated', fromWire(participant)),
    );
    memberships.on('call:recording', ({ callId, recording, by }) => this.#onRecording(callId, recording, by));
  }

  /** The last known state of a call that rings or is active. */
  get(callId: string): WireCall | undefined {
    return this.#known.get(callId)?.latest;
  }

  isMuted(callId: string): boolean {
    return this.#muted.has(callId);
  }

  setMuted(callId: string, muted: boolean): void {
    if (muted) this.#muted.add(callId);
    else this.#muted.delete(callId);
  }

  /**
   * Sends a request with which this device enters a call.
   * @param id empty if only the answer has it
   * @returns the call. It may be over already; then this device is not in it
   */
  async enter(
    id: string,
    send: (wanted: { media?: WantedMedia }) => Promise<WireEnteredCall>,
  ): Promise<{ known: KnownCall; joined: JoinedMedia | undefined }> {
    const entered = await this.memberships.enter(
      id,
      async (wanted) => {
        const { media: joined, ...call } = await send(wanted);
        const known = this.#known.get(call.id) ?? { latest: call };
        // If the app starts a ringing call again, an event may have reported the answer since the server read the call.
        if (call.status !== 'ringing' || known.latest.status === 'ringing') known.latest = call;
        return { known, joined };
      },
      ({ known }) => {
        this.#known.set(known.latest.id, known);
        return [known.latest.id, known];
      },
    );
    const { latest } = entered.known;
    // The server may have handled end() before this request.
    if (latest.status === 'active' && this.memberships.isOver(latest.id)) this.endLater(latest.id);
    return entered;
  }

  /**
   * Call when the server says that a call no longer rings. This device may have declined it before: if that answer was lost, no event tells it,
   * because the server notifies only the other devices. Never rejects.
   */
  async catchUpWith(callId: string): Promise<void> {
    const isHere = this.memberships.has(callId) || this.memberships.isEntering(callId);
    if (this.#known.has(callId) && !isHere) await this.#refresh(false).catch(() => undefined);
  }

  /** Removes a call that is over, or that this device has ended. @returns false if it was removed before */
  forget(callId: string): boolean {
    this.#known.delete(callId);
    this.#muted.delete(callId);
    this.#away.delete(callId);
    return this.memberships.end(callId);
  }

  /** The wallet that signs in next, which may be the same one, is told which calls still ring. */
  #forgetAll(): void {
    this.#known.clear();
    this.#muted.clear();
    this.#away.clear();
  }

  /** Retries a request to end a call that has failed for a transient reason: now, and after each reconnect until it succeeds. */
  endLater(callId: string): void {
    this.#toEnd.add(callId);
    void this.#retryEnd(callId);
  }

  /**
   * Joins the room that a call of this device has become. Several causes at once lead to only one join. If the room refuses this device, the
   * call is over for the app.
   */
  async follow(ended: WireCall, to: string): Promise<void> {
    const { id } = ended;
    const known = this.memberships.get(id);
    if (!known) return;
    const following =
      this.#following.get(id) ?? this.#join(known, ended, to).finally(() => this.#following.delete(id));
    this.#following.set(id, following);
    await following;
  }

  /** Called when this wallet has added people to a call. */
  async becameRoom(callId: string, movedTo: string): Promise<void> {
    const latest = this.get(callId);
    const over = {
      status: 'ended',
      endReason: 'moved',
      recordedBy: null,
      isRecording: false,
      movedTo,
    } as const;
    if (latest) await this.follow({ ...latest, ...over }, movedTo);
  }

  async #join(known: KnownCall, ended: WireCall, to: string): Promise<void> {
    const { id } = ended;
    const isHeld = () => this.memberships.get(id) === known;
    const isMuted = this.isMuted(id);
    try {
      const from = { id, displayName: undefined, isHeld, leave: () => void this.forget(id) };
      await this.#rooms.arrive(from, to, (room) => {
        this.#events.emit('call:moved', { callId: id, room: fromWire(room) });
        // So that the microphone stays muted when the page is loaded again.
        if (isMuted) this.#connection.request('conference.muteAudio', { roomId: to }).catch(() => undefined);
      });
    } catch (error) {
      // Without a connection, this device claims the call on the next one, and learns again that it has become a room.
      if (!isTransient(error) && isHeld()) this.#end('call:ended', ended);
    }
  }

  #onReturn(mayHaveMissed: boolean): void {
    for (const id of this.#toEnd) void this.#retryEnd(id);
    // Each connection refreshes by itself.
    const { id: socketId } = this.#connection;
    const isWanted = () => this.#connection.id === socketId;
    retryTransient(() => this.#refresh(mayHaveMissed), isWanted).catch(() => undefined);
  }

  /** Emits the events about calls that the app has missed. */
  async #refresh(mayHaveMissed: boolean): Promise<void> {
    const known = [...this.#known.keys()];
    // On a new connection, the server sends the calls that ring.
    if (known.length === 0 && !mayHaveMissed) return;
    const calls = await this.#connection.request('calls.getActive', {});
    for (const call of calls) {
      if (call.status === 'ringing' && call.direction === 'incoming') this.#onIncoming(call);
      else if (this.#known.has(call.id)) this.#catchUp(call);
    }
    const over = known.filter((callId) => !calls.some(({ id }) => id === callId));
    if (over.length === 0) return;
    const history = await this.#connection.request('calls.getHistory', { limit: 100 });
    for (const callId of over) {
      const latest = this.get(callId);
      // During the request, an event has already reported the end.
      if (!latest) continue;
      // Of a call that is not among the latest, how it ended stays unknown.
      const { status: outcome, ...record } = history.find(({ id }) => id === callId) ?? latest;
      const status = outcome === 'missed' || outcome === 'declined' ? outcome : 'ended';
      this.#onEnded(`call:${status}`, { ...record, status });
    }
  }

  #catchUp(call: WireCall): void {
    if (call.status !== 'active') return;
    this.#onAnswered(call);
    this.#onRecording(call.id, call.isRecording, call.recordedBy);
  }

  /** The server sends `call:incoming` again after every reconnect, but the app gets it only once. */
  #onIncoming(call: WireCall): void {
    if (this.memberships.isOver(call.id)) return;
    // Reported each time, because the server may not have received the previous report.
    this.#notifications.seen('call', call.id).catch(() => undefined);
    if (this.#known.has(call.id)) return;
    this.#known.set(call.id, { latest: call });
    this.#events.emit('call:incoming', fromWire(call));
  }

  /** Called for an event, and when catching up after a lost connection. The app gets `call:answered` only once. */
  #onAnswered(call: WireCall): void {
    const known = this.#known.get(call.id);
    if (known?.latest.status === 'active' || this.memberships.isOver(call.id)) return;
    this.#hideNotification(call);
    if (known) known.latest = call;
    else this.#known.set(call.id, { latest: call });
    this.#events.emit('call:answered', fromWire(call));
  }

  /** Called for an event, and when catching up after a lost connection. */
  #onRecording(callId: string, recording: boolean, by: Address | null): void {
    const known = this.#known.get(callId);
    if (known?.latest.isRecording === recording) return;
    const recorder = by ?? known?.latest.recordedBy;
    if (known) known.latest = { ...known.latest, isRecording: recording, recordedBy: recording ? by : null };
    if (recorder) this.#events.emit('call:recording', { callId, recording, by: recorder });
  }

  #onAway(away: EventOf<'call:participant:away'>): void {
    if (away.isAway) this.#away.add(away.callId);
    else this.#away.delete(away.callId);
    this.#events.emit('call:participant:away', away);
  }

  /**
   * An app that does not listen to `call:moved` gets the end of the call instead: its user must not be seen and heard in a room that the app
   * does not show.
   */
  #onEnded(name: (typeof endings)[number], call: WireCall): void {
    const { id, movedTo } = call;
    if (movedTo && this.memberships.has(id) && this.#events.has('call:moved'))
      void this.follow(call, movedTo);
    else this.#end(name, call);
  }

  /** A server that takes over from a failed one may send this event again, but the app gets it only once. */
  #end(name: (typeof endings)[number], call: WireCall): void {
    const known = this.#known.get(call.id);
    if (!this.forget(call.id)) return;
    if (known) known.latest = call;
    this.#hideNotification(call);
    this.#events.emit(name, fromWire(call));
  }

  /** Closes the notification that a push may have shown, because the call no longer rings. */
  #hideNotification(call: WireCall): void {
    if (call.direction === 'outgoing') return;
    this.#notifications.close({ ...call, kind: 'call' }).catch(() => undefined);
  }

  async #retryEnd(callId: string): Promise<void> {
    const { id: socketId } = this.#connection;
    const isWanted = () => this.#toEnd.has(callId) && this.#connection.id === socketId;
    if (socketId === null) return;
    try {
      await retryTransient(() => this.#connection.request('calls.end', { callId }), isWanted);
    } catch (error) {
      if (isTransient(error)) return;
    }
    this.#toEnd.delete(callId);
  }

  /** The call is over, has become a room, or another device has taken it over. */
  async #onRefused(callId: string, { reason }: ParleyError): Promise<void> {
    await this.#refresh(false);
    // While this device moves to the room, it still has the call.
    if (reason !== 'moved' && this.#known.has(callId)) this.memberships.replaced(callId);
  }
}

const otherParty = ({ direction, from, to }: WireCall): Address => (direction === 'incoming' ? from : to);
