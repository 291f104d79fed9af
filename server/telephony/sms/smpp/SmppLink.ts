import { setTimeout as delay } from 'node:timers/promises';
import type { PDU } from 'smpp';
import type { Logger } from 'pino';
import { CarrierError } from '../CarrierError.ts';
import { NotWritten, SmppSession, type SessionDeps } from './SmppSession.ts';

interface LinkDeps extends Omit<SessionDeps, 'onDelivery' | 'signal'> {
  /** The maximum number of submits that may wait for their answers at the same time. */
  window: number;
  /** @param connection identifies the connection */
  onDelivery: (pdu: PDU, connection: string) => Promise<number>;
  log: Logger;
}

interface Waiter {
  go: () => void;
  refuse: (error: Error) => void;
}

const firstRetryMs = 500;
const longestRetryMs = 30_000;
/** How long a throttled bind pauses before its next submit. */
const throttleMs = 1_000;

/** Maintains one bind to an SMSC, binds again whenever the bind is lost, and limits the number of unanswered submits. */
export class SmppLink {
  readonly #deps: LinkDeps;
  readonly #closing = new AbortController();
  readonly #waiters: Waiter[] = [];
  #session: SmppSession | null = null;
  #outstanding = 0;
  #pausedUntil = 0;
  #keeping: Promise<void> = Promise.resolve();

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  get isBound(): boolean {
    return this.#session?.isOpen ?? false;
  }

  /** Binds in the background. */
  start(): void {
    this.#keeping = this.#keep();
  }

  /**
   * Takes a slot for an unanswered submit.
   * @returns a function that frees the slot
   * @throws CarrierError temporary if no slot becomes free in time, or there is no bind
   */
  async slot(deadline: number): Promise<() => void> {
    if (!this.isBound) throw away();
    if (this.#isFree) this.#outstanding++;
    else await this.#wait(deadline);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#outstanding--;
      this.#pump();
    };
  }

  /** @throws NotWritten, NoAnswer */
  ask(
    command: string,
    fields: Record<string, unknown>,
    deadline: number,
    onLate?: (answer: PDU) => void,
  ): Promise<PDU> {
    const session = this.#session;
    if (!session) return Promise.reject(new NotWritten('not bound to the SMSC'));
    return session.ask(command, fields, deadline - Date.now(), onLate);
  }

  /** Submits nothing for a moment, because the SMSC throttles this bind. */
  slowDown(): void {
    this.#pausedUntil = performance.now() + throttleMs;
    setTimeout(() => this.#pump(), throttleMs + 5).unref();
  }

  /** Unbinds. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#refuseAll();
    await this.#session?.unbind();
    await this.#keeping;
  }

  get #isFree(): boolean {
    return this.#outstanding < this.#deps.window && performance.now() >= this.#pausedUntil;
  }

  #wait(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        const at = this.#waiters.indexOf(waiter);
        if (at >= 0) this.#waiters.splice(at, 1);
      };
      const waiter: Waiter = {
        go: () => (leave(), this.#outstanding++, resolve()),
        refuse: (error) => (leave(), reject(error)),
      };
      const late = () => waiter.refuse(busy());
      const timer = setTimeout(late, Math.max(0, deadline - Date.now()));
      this.#waiters.push(waiter);
    });
  }

  #pump(): void {
    while (this.#isFree && this.#waiters.length > 0) this.#waiters[0]?.go();
  }

  #refuseAll(): void {
    for (const waiter of [...this.#waiters]) waiter.refuse(away());
  }

  async #keep(): Promise<void> {
    const { kind, log, smsc } = this.#deps;
    const where = { bind: kind, host: smsc.host, port: smsc.port };
    for (let failures = 0; !this.#closing.signal.aborted;) {
      try {
        const session = await this.#open();
        failures = 0;
        log.info(where, 'bound to the SMSC');
        const reason = await session.ended;
        this.#session = null;
        this.#refuseAll();
        if (!this.#closing.signal.aborted) log.warn({ ...where, err: reason }, 'connection to the SMSC lost');
      } catch (err) {
        log.warn({ ...where, err }, 'binding to the SMSC failed; it will be tried again');
        failures++;
      }
      await this.#rest(failures);
    }
  }

  async #open(): Promise<SmppSession> {
    const { onDelivery } = this.#deps;
    const connection = crypto.randomUUID();
    const session = await SmppSession.open({
      ...this.#deps,
      signal: this.#closing.signal,
      onDelivery: (pdu) => onDelivery(pdu, connection),
    });
    this.#session = session;
    if (this.#closing.signal.aborted) await session.unbind();
    return session;
  }

  /** Waits before binding again. The jitter prevents many clients that lost their connection together from reconnecting together. */
  async #rest(failures: number): Promise<void> {
    const limit = Math.min(firstRetryMs * 2 ** failures, longestRetryMs);
    const { signal } = this.#closing;
    await delay(limit * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** The error for a text that was not written to the SMSC. */
export const away = (cause?: unknown) =>
  new CarrierError('temporary', 'carrier_unavailable', 'The carrier cannot be reached.', {
    retryAfter: 2,
    cause,
  });
const busy = () =>
  new CarrierError('temporary', 'carrier_unavailable', 'The carrier is busy.', { retryAfter: 2 });
