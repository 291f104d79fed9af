import type { Listeners } from '../connection/Listeners.ts';
import { isTransient } from '../connection/transient.ts';
import type { ParleyEvents } from '../types.ts';
import type { MediaSession } from './MediaSession.ts';

/** The media of this device, by the id of the call, room or stream. */
export class Sessions {
  readonly #sessions = new Map<string, MediaSession>();
  readonly #events: Listeners<ParleyEvents>;

  constructor(events: Listeners<ParleyEvents>) {
    this.#events = events;
  }

  get all(): MediaSession[] {
    return [...this.#sessions.values()];
  }

  get(id: string): MediaSession | undefined {
    return this.#sessions.get(id);
  }

  /** Adds a session. It replaces the one of the same call, room or stream. */
  open(session: MediaSession): void {
    const { id } = session.room;
    this.close(id);
    this.#sessions.set(id, session);
  }

  close(id: string): void {
    this.take(id)?.close();
  }

  /** Removes a session without closing it. */
  take(id: string): MediaSession | undefined {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    return session;
  }

  /** Whether a session has not been closed or replaced. */
  isOpen(session: MediaSession): boolean {
    return this.#sessions.get(session.room.id) === session;
  }

  /** Emits `media:local`. Call it after what this device sends has changed. */
  emitLocal(session: MediaSession): void {
    if (session.successor) return this.emitLocal(session.successor);
    if (!this.isOpen(session)) return;
    this.#events.emit('media:local', { ...session.room, stream: session.outgoing.localStream });
  }

  /** Emits `media:failed`, except for transient errors, and for media that is over, whose end has its own event. */
  fail(session: MediaSession, error: Error): void {
    if (this.isOpen(session) && !isTransient(error))
      this.#events.emit('media:failed', { ...session.room, error });
  }
}
