import { ParleyError } from '../../protocol/errors.ts';
import type { Scope, WantedMedia } from '../../protocol/media.ts';
import type { EventName, EventOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import type { Listeners } from '../connection/Listeners.ts';
import { isTransient, retryTransient } from '../connection/transient.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents } from '../types.ts';
import { RecentIds } from './RecentIds.ts';

/** The maximum random delay before catching up with lost events. Otherwise all clients would send requests at the same moment. */
const spreadMs = 2_000;

interface MembershipsOptions<State, Answer> {
  connection: Connection;
  media: Media;
  events: Listeners<ParleyEvents>;
  scope: Scope;
  /** Claims the membership for the current connection, unless another device has taken it over. */
  claim: (id: string, state: State) => Promise<Answer>;
  /** Updates the state from the answer to a claim, and emits the events that the app has missed. */
  catchUp: (answer: Answer, state: State) => void;
  /** Called when the server refuses a claim: the membership is over, or another device has taken it over. */
  onRefused: (id: string, error: ParleyError) => void | Promise<void>;
  /** Called when the client has connected again, or when events of this connection may have been lost (`mayHaveMissed`). */
  onReturn?: (mayHaveMissed: boolean) => void;
}

/**
 * The memberships of this device in calls, rooms or streams. After a lost connection, the device claims each one for its new connection and
 * resumes its media. It does the same when events may have been lost, or when the media's transports are broken.
 */
export class Memberships<State extends object, Answer = unknown> {
  readonly #options: MembershipsOptions<State, Answer>;
  /** By the id of the call, room or stream, what the app and the SDK know about it. */
  readonly #states = new Map<string, State>();
  readonly #over = new RecentIds();
  /** Ids that the app has left since it last began to enter. The answer to a request may arrive after that. */
  readonly #left = new RecentIds();
  /** By id, the requests in progress, and the events that wait for their answers, because they may be newer. */
  readonly #requests = new Map<string, { inProgress: number; postponed: (() => void)[] }>();
  /** The resumptions in progress. Several causes at once lead to only one. */
  readonly #resuming = new Map<State, Promise<void>>();

  constructor(options: MembershipsOptions<State, Answer>) {
    this.#options = options;
    const { connection, media, scope } = options;
    media.resumeWith(scope, this);
    connection.onReconnected(() => this.#resumeAll(false));
    connection.on('session:missed', () => {
      setTimeout(() => this.#resumeAll(true), Math.random() * spreadMs);
    });
    connection.onState((state) => {
      if (state === 'closed') this.#states.clear();
    });
    this.on('media:replaced', (room) => {
      if (room.scope === scope) this.replaced(room.id);
    });
  }

  has(id: string): boolean {
    return this.#states.has(id);
  }

  get(id: string): State | undefined {
    return this.#states.get(id);
  }

  /** Whether a request that enters or claims it is in progress. */
  isEntering(id: string): boolean {
    return this.#requests.has(id);
  }

  /** Adds a membership that this connection has. */
  add(id: string, state: State): void {
    this.#over.delete(id);
    this.#states.set(id, state);
  }

  /**
   * Sends a request that enters a call, room or stream and joins its media, and adds the membership unless the app leaves before the answer.
   * @param id empty if only the answer has it
   * @param membershipOf returns the id and state of the membership; null if the answer is not an admission
   */
  async enter<T>(
    id: string,
    send: (wanted: { media?: WantedMedia }) => Promise<T>,
    membershipOf: (answer: T) => [id: string, State] | null,
  ): Promise<T> {
    this.#left.delete(id);
    return this.#inOrder(id, async () => {
      const answer = await this.#options.media.enter(id, send);
      const membership = this.#left.has(id) ? null : membershipOf(answer);
      if (membership) this.add(...membership);
      return answer;
    });
  }

  /** Removes the membership from this device, and closes its media. */
  forget(id: string): void {
    this.#left.add(id);
    this.#states.delete(id);
    this.#options.media.close(id);
  }

  /** Forgets a call, room or stream that is over for the app. @returns whether this is new */
  end(id: string): boolean {
    if (!this.#over.add(id)) return false;
    this.forget(id);
    return true;
  }

  isOver(id: string): boolean {
    return this.#over.has(id);
  }

  /** Another device has taken over. */
  replaced(id: string): void {
    this.forget(id);
    this.#options.events.emit('media:replaced', { scope: this.#options.scope, id });
  }

  /**
   * Handles an event. While a request for the same call, room or stream is in progress, the event waits until its answer is handled. An
   * event about an unknown one also waits for requests whose answers name what this device has entered.
   */
  on<Name extends EventName>(name: Name, handle: (payload: EventOf<Name>) => void): void {
    this.#options.connection.on(name, (payload) => {
      const id = idOf(payload);
      const requests = this.#requests.get(id) ?? (this.has(id) ? null : this.#requests.get(''));
      if (requests) requests.postponed.push(() => handle(payload));
      else handle(payload);
    });
  }

  /** @param send sends a request and handles its answer, before the events that arrive in the meantime */
  async #inOrder<T>(id: string, send: () => Promise<T>): Promise<T> {
    const requests = this.#requests.get(id) ?? { inProgress: 0, postponed: [] };
    this.#requests.set(id, requests);
    requests.inProgress++;
    try {
      return await send();
    } finally {
      if (--requests.inProgress === 0) {
        this.#requests.delete(id);
        for (const handle of requests.postponed) handle();
      }
    }
  }

  /**
   * Resolves when the server recognises this connection as the device of the membership. After a lost connection, it waits for the
   * resumption. @throws ParleyError NETWORK_ERROR if there is no connection within ten seconds
   */
  async claimed(id: string): Promise<void> {
    const state = this.get(id);
    if (!state) return;
    await this.#options.connection.open();
    await this.#resuming.get(state);
  }

  /** Claims the membership and resumes its media. Retries transient failures; reports permanent ones as events. */
  async resume(id: string): Promise<void> {
    const state = this.get(id);
    if (!state) return;
    const resumption =
      this.#resuming.get(state) ?? this.#resume(id, state).finally(() => this.#resuming.delete(state));
    this.#resuming.set(state, resumption);
    await resumption;
  }

  #resumeAll(mayHaveMissed: boolean): void {
    this.#options.onReturn?.(mayHaveMissed);
    for (const id of this.#states.keys()) void this.resume(id);
  }

  async #resume(id: string, state: State): Promise<void> {
    const isWanted = () => this.get(id) === state && this.#options.connection.state === 'connected';
    let claimedOn: string | null = null;
    try {
      await retryTransient(async () => {
        await this.#claim(id, state);
        claimedOn = this.#options.connection.id;
        if (this.get(id) === state) await this.#options.media.recover(id);
      }, isWanted);
      // The client has reconnected in the meantime.
      if (isWanted() && claimedOn !== this.#options.connection.id) await this.#resume(id, state);
    } catch (error) {
      // Without a connection, the membership is claimed on the next one.
      if (!isWanted()) return;
      this.#options.events.emit('media:failed', { scope: this.#options.scope, id, error: error as Error });
    }
  }

  async #claim(id: string, state: State): Promise<void> {
    // False if the app left during the request.
    const isHeld = () => this.get(id) === state;
    try {
      await this.#inOrder(id, async () => {
        const answer = await this.#options.claim(id, state);
        if (isHeld()) this.#options.catchUp(answer, state);
      });
    } catch (error) {
      if (error instanceof ParleyError && !isTransient(error) && isHeld())
        await this.#options.onRefused(id, error);
      throw error;
    }
  }
}

/** The id of the call, room or stream that an event is about. */
function idOf(payload: object): string {
  const { roomId, streamId, callId, id } = payload as Partial<Record<string, string>>;
  return roomId ?? streamId ?? callId ?? id ?? '';
}
