import smpp, { type PDU, type Session } from 'smpp';
import type { SmscAddress } from './smscAddress.ts';

/** The request was not written, so the SMSC certainly does not have it. */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';
}

/** The request was written, but the connection was lost or the time ran out before the answer, so the outcome is unknown. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface SessionDeps {
  smsc: SmscAddress;
  kind: 'transceiver' | 'transmitter' | 'receiver';
  /** Interval of enquire_link. */
  enquireMs: number;
  /** How long connecting, binding or an answer may take. */
  answerMs: number;
  /**
   * Handles deliver_sm and data_sm.
   * @returns the command status of the answer
   */
  onDelivery: (pdu: PDU) => Promise<number>;
  /** Called with deliveries whose answers the SMSC has certainly read, so it will not deliver them again. */
  onConfirmed: (pdus: PDU[]) => void;
  /** Delay after the answer to a delivery until enquire_link checks that the SMSC has read the answer. */
  confirmMs: number;
  /** Aborts binding. */
  signal: AbortSignal;
}

interface Waiting {
  resolve: (answer: PDU) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

const smppVersion = 0x34;
/** The maximum number of unanswered deliveries. When it is reached, the SMSC is told that the queue is full. */
const maxDeliveries = 500;

/**
 * One bound connection to an SMSC. It ends when unbind() is called or when the other side ends it. Then `ended` resolves, and unanswered
 * requests fail with NoAnswer.
 */
export class SmppSession {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Error>;
  readonly #deps: SessionDeps;
  readonly #session: Session;
  readonly #waiting = new Set<Waiting>();
  readonly #deliveries = new Set<Promise<void>>();
  #end: (reason: Error) => void = () => undefined;
  #reason: Error | null = null;
  #enquiry: NodeJS.Timeout | null = null;
  /** Deliveries whose answers were written after the last enquiry. */
  #answered: PDU[] = [];
  #confirmation: NodeJS.Timeout | null = null;

  /** @throws Error if the SMSC cannot be reached or refuses the bind */
  static async open(deps: SessionDeps): Promise<SmppSession> {
    const opened = new SmppSession(deps);
    const giveUp = () => opened.#finish(new Error('binding aborted'));
    deps.signal.addEventListener('abort', giveUp);
    try {
      await opened.#bind();
    } catch (error) {
      opened.#finish(error as Error);
      throw error;
    } finally {
      deps.signal.removeEventListener('abort', giveUp);
    }
    return opened;
  }

  private constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const { host, port, isSecure, ca } = deps.smsc;
    this.#session = smpp.connect({ host, port, tls: isSecure, ...(ca === undefined ? {} : { ca }) });
    // The library stops reading after a PDU that it cannot parse, so this error also ends the connection.
    this.#session.on('error', (error: Error) => this.#finish(error));
    this.#session.on('close', () => this.#finish(new Error('the SMSC closed the connection')));
    this.#session.on('pdu', (pdu: PDU) => this.#take(pdu));
  }

  get isOpen(): boolean {
    return this.#reason === null;
  }

  /**
   * Sends a request and waits for its answer.
   * @param limitMs how long the answer may take
   * @param onLate called with an answer that arrives later than that
   * @throws NotWritten, NoAnswer
   */
  ask(
    command: string,
    fields: Record<string, unknown>,
    limitMs: number,
    onLate?: (answer: PDU) => void,
  ): Promise<PDU> {
    return new Promise((resolve, reject) => {
      if (this.#reason || limitMs <= 0) return reject(new NotWritten('not written', { cause: this.#reason }));
      const settle = () => {
        this.#waiting.delete(waiting);
        clearTimeout(waiting.timer);
      };
      const waiting: Waiting = {
        resolve: (answer) => (settle(), resolve(answer)),
        reject: (error) => (settle(), reject(error)),
        timer: setTimeout(() => waiting.reject(new NoAnswer(`no answer within ${limitMs} ms`)), limitMs),
      };
      this.#waiting.add(waiting);
      const isWritten = this.#session.send(new smpp.PDU(command, fields), (answer) =>
        this.#waiting.has(waiting) ? waiting.resolve(answer) : onLate?.(answer),
      );
      if (!isWritten) waiting.reject(new NotWritten('the connection accepts no more data'));
    });
  }

  /** Waits until running deliveries are stored, then unbinds. Idempotent. */
  async unbind(): Promise<void> {
    await Promise.all(this.#deliveries);
    if (this.isOpen) await this.ask('unbind', {}, 2_000).catch(() => undefined);
    this.#finish(new Error('unbound'));
  }

  async #bind(): Promise<void> {
    const { smsc, kind, answerMs, enquireMs } = this.#deps;
    const connected = smsc.isSecure ? 'secureConnect' : 'connect';
    const isConnected = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), answerMs);
      this.#session.once(connected, () => (clearTimeout(timer), resolve(true)));
      void this.ended.then(() => (clearTimeout(timer), resolve(false)));
    });
    if (!(await isConnected)) throw this.#reason ?? new Error(`not connected within ${answerMs} ms`);
    this.#session.socket.setNoDelay(true);
    const { systemId, password, systemType } = smsc;
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: smppVersion };
    const { command_status: status } = await this.ask(`bind_${kind}`, fields, answerMs);
    if (status !== 0) throw new Error(`the SMSC refused the bind: ${statusName(status)}`);
    this.#enquiry = setInterval(() => void this.#enquire(), enquireMs).unref();
  }

  /** Sends enquire_link. The SMSC reads in order: when it answers the enquiry, it has read everything that was written before. */
  async #enquire(): Promise<void> {
    const answered = this.#answered;
    this.#answered = [];
    try {
      await this.ask('enquire_link', {}, this.#deps.answerMs);
      if (answered.length > 0) this.#deps.onConfirmed(answered);
    } catch (error) {
      this.#finish(new Error('the SMSC did not answer enquire_link', { cause: error }));
    }
  }

  #toConfirm(pdu: PDU): void {
    this.#answered.push(pdu);
    this.#confirmation ??= setTimeout(() => {
      this.#confirmation = null;
      if (this.isOpen) void this.#enquire();
    }, this.#deps.confirmMs).unref();
  }

  /** Handles a PDU. Must not throw, because then the library would stop reading. */
  #take(pdu: PDU): void {
    if (pdu.isResponse()) return;
    switch (pdu.command) {
      case 'deliver_sm':
      case 'data_sm':
        return this.#deliver(pdu);
      case 'enquire_link':
        this.#session.send(pdu.response());
        return;
      case 'unbind':
        this.#session.send(pdu.response());
        this.#finish(new Error('the SMSC unbound'));
        return;
      case 'unknown':
        this.#session.send(pdu.response());
    }
  }

  #deliver(pdu: PDU): void {
    const answer = (status: number) => {
      if (!this.isOpen) return;
      this.#session.send(pdu.response({ command_status: status }));
      if (status === 0) this.#toConfirm(pdu);
    };
    if (this.#deliveries.size >= maxDeliveries) return answer(smpp.errors.ESME_RMSGQFUL ?? 0x14);
    const delivery = this.#deps
      .onDelivery(pdu)
      .then(answer)
      .finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  #finish(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    if (this.#enquiry) clearInterval(this.#enquiry);
    if (this.#confirmation) clearTimeout(this.#confirmation);
    for (const waiting of this.#waiting) waiting.reject(new NoAnswer(reason.message, { cause: reason }));
    // The data written last (the answer to an unbind) may still be sent.
    this.#session.close();
    setTimeout(() => this.#session.destroy(), 1_000).unref();
    this.#end(reason);
  }
}

const names = new Map(Object.entries(smpp.errors).map(([name, code]) => [code, name]));

/** The name of the status in the specification, for example ESME_RTHROTTLED. */
export const statusName = (status: number): string =>
  names.get(status) ?? `command status 0x${status.toString(16).padStart(8, '0')}`;
