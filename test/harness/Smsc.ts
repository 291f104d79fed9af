import { randomInt, randomUUID } from 'node:crypto';
import type { Server } from 'node:net';
import smpp, { type PDU, type Session } from 'smpp';
import { freePorts } from './ports.ts';
import { until } from './until.ts';

export interface SmscUser {
  systemId: string;
  password: string;
  /** Texts to these are delivered to it. */
  numbers: string[];
}

interface SmscOptions {
  users: SmscUser[];
  /** PEM. */
  tls?: { key: string; cert: string };
}

/** What becomes of a submit: a command status; no answer; or the connection is cut. Before the text goes anywhere. */
export type SubmitAnswer = number | 'silence' | 'cut';

/** How the id of a text stands in the answer to its submit, and in receipts. */
export const notations = {
  same: { answer: (id: number) => `m${id}`, receipt: (id: number) => `m${id}` },
  hexadecimalAnswers: {
    answer: (id: number) => id.toString(16),
    receipt: (id: number) => String(id).padStart(10, '0'),
  },
  hexadecimalReceipts: {
    answer: (id: number) => String(id),
    receipt: (id: number) => id.toString(16).toUpperCase(),
  },
};

interface Waiting {
  to: SmscUser;
  fields: Record<string, unknown>;
  /** The session it was sent over, while that has not answered. */
  sentOver: Session | null;
}

/**
 * An SMSC on 127.0.0.1: texts between the numbers of those who bind, with receipts. What is not acknowledged is delivered again,
 * also over the next connection.
 */
export class Smsc {
  readonly #options: SmscOptions;
  readonly port: number;
  readonly #bound = new Map<Session, { user: SmscUser; command: string }>();
  readonly #held: (() => void)[] = [];
  #server: Server | null = null;
  #waiting: Waiting[] = [];
  /** No two SMSCs begin with the same. */
  #lastId = randomInt(1_000_000, 2_000_000_000);
  /** All it was given, also what it refused. */
  readonly submits: PDU[] = [];
  /** Every command that came. */
  readonly commands: string[] = [];
  /** The most submits that waited for their answers at once. */
  mostOutstanding = 0;
  #outstanding = 0;
  notation = notations.same;
  /** Asked about each submit; 0 where it says nothing. */
  onSubmit: ((submit: PDU) => SubmitAnswer | undefined) | null = null;
  /** How long an answer to a submit takes. */
  answerAfterMs = 0;
  /** Receipts wait for releaseReceipts(). */
  holdsReceipts = false;
  /** How often each receipt is delivered. */
  receiptCopies = 1;
  receiptFields: ((submit: PDU, id: string) => Record<string, unknown>) | null = null;
  /** Inbound parts are collected, and delivered in this order once there are so many. */
  reorder: { count: number; order: (parts: Record<string, unknown>[]) => Record<string, unknown>[] } | null =
    null;
  #collected: [SmscUser, Record<string, unknown>][] = [];
  /** It takes requests, and answers none. */
  isDeaf = false;

  static async start(options: SmscOptions): Promise<Smsc> {
    const smsc = new Smsc(options, await freePorts());
    await smsc.listen();
    return smsc;
  }

  private constructor(options: SmscOptions, port: number) {
    this.#options = options;
    this.port = port;
  }

  url({ systemId, password } = this.#options.users[0] ?? { systemId: '', password: '' }): string {
    const scheme = this.#options.tls ? 'smpps' : 'smpp';
    return `${scheme}://${systemId}:${encodeURIComponent(password)}@127.0.0.1:${this.port}`;
  }

  get binds(): string[] {
    return [...this.#bound.values()].map(({ command }) => command);
  }

  get undelivered(): number {
    return this.#waiting.length;
  }

  async listen(): Promise<void> {
    const server = smpp.createServer({ ...this.#options.tls }, (session) => this.#accept(session));
    this.#server = server;
    // A client that refuses the certificate.
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  /** Cuts all connections. */
  cut(): void {
    for (const session of this.#bound.keys()) session.destroy();
  }

  /** As if it was switched off; listen() is back on the same port. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    this.cut();
    await closed;
  }

  /** Asks every client that is bound, and waits for its answer. */
  async request(command: string): Promise<void> {
    for (const session of this.#bound.keys()) {
      let isAnswered = false;
      session.send(new smpp.PDU(command), () => (isAnswered = true));
      await until(() => isAnswered, `the answer to ${command}`);
    }
  }

  releaseReceipts(): void {
    for (const release of this.#held.splice(0)) release();
  }

  /** A text from outside. */
  deliver(systemId: string, fields: Record<string, unknown>): void {
    const to = this.#options.users.find((each) => each.systemId === systemId);
    if (!to) throw new Error(`nobody is ${systemId}`);
    this.#waiting.push({ to, fields, sentOver: null });
    this.#flush();
  }

  #accept(session: Session): void {
    session.on('error', () => session.destroy());
    session.on('close', () => {
      this.#bound.delete(session);
      for (const each of this.#waiting) if (each.sentOver === session) each.sentOver = null;
      this.#flush();
    });
    session.on('pdu', (pdu: PDU) => {
      if (pdu.isResponse() || this.isDeaf) return;
      this.commands.push(pdu.command);
      if (pdu.command.startsWith('bind_')) this.#bind(session, pdu);
      else if (pdu.command === 'submit_sm') void this.#submitted(session, pdu);
      else if (pdu.command === 'unbind') {
        session.send(pdu.response());
        session.close();
      } else session.send(pdu.response());
    });
  }

  #bind(session: Session, pdu: PDU): void {
    const user = this.#options.users.find(({ systemId }) => systemId === pdu.system_id);
    const isRight = user && user.password === pdu.password;
    const status = isRight ? 0 : user ? smpp.errors.ESME_RINVPASWD : smpp.errors.ESME_RINVSYSID;
    session.send(pdu.response({ command_status: status, system_id: 'smsc' }));
    if (!user || !isRight) return;
    this.#bound.set(session, { user, command: pdu.command });
    this.#flush();
  }

  async #submitted(session: Session, pdu: PDU): Promise<void> {
    this.submits.push(pdu);
    const answer = this.onSubmit?.(pdu) ?? 0;
    if (answer === 'cut') return session.destroy();
    const number = ++this.#lastId;
    this.mostOutstanding = Math.max(this.mostOutstanding, ++this.#outstanding);
    if (this.answerAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, this.answerAfterMs));
    this.#outstanding--;
    if (answer !== 'silence')
      session.send(pdu.response({ command_status: answer, message_id: this.notation.answer(number) }));
    if (answer === 0 || answer === 'silence') this.#route(session, pdu, number);
  }

  #route(session: Session, submit: PDU, number: number): void {
    const sender = this.#bound.get(session)?.user ?? this.#options.users[0];
    const to = this.#options.users.find(({ numbers }) =>
      numbers.includes(`+${String(submit.destination_addr)}`),
    );
    if (to) this.#pass(to, textOf(submit));
    const id = this.notation.receipt(number);
    const fields = this.receiptFields?.(submit, id) ?? receiptOf(submit, id, to ? 'DELIVRD' : 'UNDELIV');
    const release = () => {
      for (let copy = 0; copy < this.receiptCopies; copy++)
        if (sender) this.#waiting.push({ to: sender, fields, sentOver: null });
      this.#flush();
    };
    if (this.holdsReceipts) this.#held.push(release);
    else release();
  }

  #pass(to: SmscUser, fields: Record<string, unknown>): void {
    this.#collected.push([to, fields]);
    if (this.reorder && this.#collected.length < this.reorder.count) return;
    const parts = this.#collected.splice(0);
    const inOrder = this.reorder?.order(parts.map(([, each]) => each)) ?? parts.map(([, each]) => each);
    for (const each of inOrder) this.#waiting.push({ to, fields: each, sentOver: null });
  }

  #flush(): void {
    for (const each of this.#waiting) {
      if (each.sentOver) continue;
      const session = [...this.#bound].find(
        ([, { user, command }]) => user === each.to && command !== 'bind_transmitter',
      )?.[0];
      if (!session) continue;
      each.sentOver = session;
      // A copy: what is sent is changed by being encoded.
      session.send(new smpp.PDU('deliver_sm', { ...each.fields }), (answer) => {
        if (answer.command_status === 0) this.#waiting = this.#waiting.filter((other) => other !== each);
        else setTimeout(() => ((each.sentOver = null), this.#flush()), 200);
      });
    }
  }
}

/** As it came, the header included. */
function textOf(submit: PDU): Record<string, unknown> {
  const { message, udh } = submit.short_message as { message: string | Buffer; udh?: Buffer[] };
  const header = udh && Buffer.concat(udh);
  return {
    ...addresses(submit.source_addr, submit.destination_addr),
    data_coding: submit.data_coding,
    esm_class: header ? 0x40 : 0,
    short_message: header ? { udh: Buffer.concat([Buffer.from([header.length]), header]), message } : message,
  };
}

export function receiptOf(submit: PDU, id: string, stat: string): Record<string, unknown> {
  const err = stat === 'DELIVRD' ? '000' : '001';
  return {
    ...addresses(submit.destination_addr, submit.source_addr),
    esm_class: 4,
    short_message: `id:${id} sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:${stat} err:${err} text:`,
  };
}

const addresses = (from: unknown, to: unknown) => ({
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: from,
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: to,
});

/** A bind's own name and password. */
export const smscUser = (numbers: string[], systemId = 'parley'): SmscUser => ({
  systemId,
  password: randomUUID().slice(0, 8),
  numbers,
});
