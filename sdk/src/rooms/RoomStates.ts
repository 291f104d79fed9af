import { ParleyError } from '../../protocol/errors.ts';
import type { Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Listeners } from '../connection/Listeners.ts';
import { retryTransient } from '../connection/transient.ts';
import type { Media } from '../media/media.ts';
import type { Observable, Participant, ParleyEvents } from '../types.ts';
import { accessOf } from './accessOf.ts';
import type { JoinedRooms } from './JoinedRooms.ts';
import { followMedia, localOf, noMedia } from './MediaStates.ts';
import { isPoor, type LeaveReason, type RoomState } from './stateTypes.ts';
import { States } from './States.ts';

interface RoomStatesOptions {
  connection: Connection;
  media: Media;
  events: Listeners<ParleyEvents>;
  joined: JoinedRooms;
}

const nothing: RoomState = {
  ...noMedia,
  phase: 'left',
  reason: null,
  error: null,
  access: null,
  room: null,
  participants: [],
  own: null,
  speakers: [],
  quality: new Map(),
  trouble: null,
  isRecording: false,
  waiters: [],
  movedTo: null,
};

/** The states of rooms for apps, kept up to date with the events. */
export class RoomStates {
  readonly #options: RoomStatesOptions;
  readonly #states = new States<RoomState>({
    initial: nothing,
    isOver: ({ phase }) => phase === 'left',
    onObserved: (roomId) => void this.#readWaiters(roomId),
  });
  /** The current joins, which earlier ones may not end. */
  readonly #attempts = new Map<string, object>();

  constructor(options: RoomStatesOptions) {
    this.#options = options;
    const { connection, media, events } = options;
    connection.on('session:missed', () => this.#readAllWaiters());
    followMedia({ scope: 'conference', media, events }, this.#states, (id, changes) =>
      this.#change(id, changes),
    );
    this.#follow(events);
  }

  of(roomId: string): Observable<RoomState> {
    return this.#states.observable(roomId);
  }

  /** A join begins. @returns functions that report how it ends. failed() returns whether it was the current join */
  joining(roomId: string): { joined: () => void; failed: (error: unknown) => boolean } {
    const attempt = {};
    this.#attempts.set(roomId, attempt);
    const isCurrent = () => this.#attempts.get(roomId) === attempt;
    this.#states.change(roomId, { ...nothing, phase: 'joining' });
    return {
      joined: () => {
        if (isCurrent()) this.#joined(roomId);
      },
      failed: (cause) => {
        if (!isCurrent()) return false;
        const error = cause as Error;
        const wasDenied = error instanceof ParleyError && error.reason === 'denied';
        this.left(roomId, wasDenied ? 'denied' : 'refused', { error, access: accessOf(error) });
        return true;
      },
    };
  }

  /** No effect if this device has left already. */
  left(roomId: string, reason: LeaveReason, more: Partial<RoomState> = {}): void {
    this.#attempts.delete(roomId);
    const { phase, room } = this.#states.get(roomId);
    if (phase !== 'left') this.#states.change(roomId, { ...nothing, room, reason, ...more });
  }

  #joined(roomId: string): void {
    const { joined, media } = this.#options;
    const room = joined.room(roomId);
    if (!room) return;
    this.#change(roomId, {
      phase: 'joined',
      room: fromWire(room),
      isRecording: room.isRecording,
      participants: joined.participants(roomId),
      local: localOf(media, roomId),
      isPlaybackBlocked: media.isPlaybackBlocked,
    });
    void this.#readWaiters(roomId);
  }

  #follow(events: Listeners<ParleyEvents>): void {
    const people = (roomId: string, changed: (known: Participant[]) => Participant[]) => {
      if (this.#isJoined(roomId))
        this.#change(roomId, { participants: changed(this.#states.get(roomId).participants) });
    };
    const arrived = (roomId: string) => {
      this.#states.change(roomId, { ...nothing, phase: 'joining' });
      this.#joined(roomId);
    };
    events.observe({
      'conference:waiting': ({ roomId }) => this.#change(roomId, { phase: 'waiting' }),
      'conference:participant:joined': (joined) => people(joined.roomId, (known) => [...known, joined]),
      'conference:participant:left': ({ roomId, id }) => {
        people(roomId, (known) => known.filter((one) => one.id !== id));
        const quality = new Map(this.#states.get(roomId).quality);
        if (quality.delete(id)) this.#change(roomId, { quality });
      },
      'conference:participant:updated': (updated) => {
        const wasHost = this.#states.get(updated.roomId).own?.role === 'host';
        people(updated.roomId, (known) =>
          known.map((one) =>
            one.id === updated.id ? { ...updated, ...(one.isAway ? { isAway: true } : {}) } : one,
          ),
        );
        if (wasHost !== (this.#states.get(updated.roomId).own?.role === 'host'))
          void this.#readWaiters(updated.roomId);
      },
      'conference:participant:away': ({ roomId, participantId, isAway }) =>
        people(roomId, (known) => known.map((one) => (one.id === participantId ? { ...one, isAway } : one))),
      'conference:speaker:active': ({ roomId, speakers }) => this.#change(roomId, { speakers }),
      'conference:quality': ({ roomId, participantId, sending, receiving }) => {
        const quality = new Map(this.#states.get(roomId).quality);
        this.#change(roomId, { quality: quality.set(participantId, { sending, receiving }) });
      },
      'conference:updated': (room) => this.#change(room.id, { room }),
      'conference:recording': ({ roomId, recording: isRecording, by }) => {
        const { room } = this.#states.get(roomId);
        const recordedBy = isRecording ? by : null;
        this.#change(roomId, { isRecording, room: room && { ...room, isRecording, recordedBy } });
      },
      'conference:waiting:joined': (waiter) =>
        this.#change(waiter.roomId, {
          waiters: [...this.#waitersWithout(waiter.roomId, waiter.walletAddress), waiter],
        }),
      'conference:waiting:left': ({ roomId, walletAddress }) =>
        this.#change(roomId, { waiters: this.#waitersWithout(roomId, walletAddress) }),
      'conference:moved': ({ fromRoomId, room }) => {
        // First, so that apps find the other room's state when this one says where the device is.
        arrived(room.id);
        this.left(fromRoomId, 'moved', { movedTo: room });
      },
      'call:moved': ({ room }) => arrived(room.id),
      'conference:ended': (room) => this.left(room.id, 'ended', { room }),
      'conference:removed': ({ roomId, reason, access }) => this.left(roomId, reason, { access }),
      'media:replaced': ({ id }) => this.left(id, 'replaced'),
      'connection:changed': ({ state, error = null }) => {
        if (state === 'connected') this.#readAllWaiters();
        if (state !== 'closed') return;
        for (const roomId of this.#states.current) this.left(roomId, 'closed', { error });
      },
    });
  }

  #isJoined(roomId: string): boolean {
    return this.#states.get(roomId).phase === 'joined';
  }

  #waitersWithout(roomId: string, wallet: string) {
    return this.#states.get(roomId).waiters.filter(({ walletAddress }) => walletAddress !== wallet);
  }

  /** The events of waiting rooms that this device has missed are not sent again. */
  #readAllWaiters(): void {
    for (const roomId of this.#states.current) void this.#readWaiters(roomId);
  }

  /** The waiting room is read only for apps that show the state. */
  async #readWaiters(roomId: string): Promise<void> {
    if (!this.#isJoined(roomId) || !this.#states.isObserved(roomId)) return;
    const isHost = () => this.#isJoined(roomId) && this.#states.get(roomId).own?.role === 'host';
    if (!isHost()) return this.#change(roomId, { waiters: [] });
    const { connection } = this.#options;
    // Without an answer, those known stay. They are read again on the next connection.
    const waiters = await retryTransient(
      () => connection.request('conference.getWaiting', { roomId }),
      () => isHost() && connection.state === 'connected',
    ).catch(() => null);
    if (waiters && isHost()) this.#change(roomId, { waiters: fromWire(waiters) });
  }

  /** Changes the state of a room that this device is in or enters. */
  #change(roomId: string, changes: Partial<RoomState>): void {
    const before = this.#states.get(roomId);
    if (before.phase === 'left') return;
    const state = { ...before, ...changes };
    const ownId = this.#options.joined.ownId(roomId);
    const own = state.participants.find(({ id }) => id === ownId) ?? null;
    const isPoorHere = own !== null && isPoor(state.quality.get(own.id));
    const trouble = state.isReconnecting ? 'reconnecting' : isPoorHere ? 'own-network' : null;
    this.#states.change(roomId, { ...changes, own, trouble });
  }
}
