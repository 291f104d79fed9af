import { randomInt, randomUUID } from 'node:crypto';
import type { Server } from 'node:net';
import smpp, { type PDU, type Session } from 'smpp';
import { freePorts } from '../nodes/ports.ts';
import { until } from '../until.ts';

export interface SmscUser {
  systemId: string;
  password: string;
  /** Texts to these numbers are delivered to this user. */
  numbers: string[];
}

interface SmscOptions {
  users: SmscUser[];
  /** PEM. */
  tls?: { key: string; cert: string };
}

/** How the SMSC responds to a submit_sm: with a command status, with silence, or by cutting the connection and dropping the text. */
export type SubmitAnswer = number | 'silence' | 'cut';

/** The notation of a text's id in the answer to its submit_sm, and in receipts. */
export const notations = {
  same: { answer: (id: number) => `m${id}`, receipt: (id: number) => `m${id}` },
  symbols: { answer: (id: number) => `$m_${id}@1`, receipt: (id: number) => `$m_${id}@1` },
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
  /** The session that the delivery was sent over, until that session answers. */
  sentOver: Session | null;
}

/**
 * A fake SMSC on 127.0.0.1: it delivers texts between the numbers of its users, with receipts. It repeats unacknowledged deliveries,
 * even over a later connection.
 */
export class Smsc {
  readonly #options: SmscOptions;
  readonly port: number;
  readonly #bound = new Map<Session, { user: SmscUser; command: string }>();
  readonly #held: (() => void)[] = [];
  #server: Server | null = null;
  #waiting: Waiting[] = [];
  /** Random, so that two SMSCs issue different ids. */
  #lastId = randomInt(1_000_000, 2_000_000_000);
  /** All submits so far, including refused ones. */
  readonly submits: PDU[] = [];
  /** All commands received so far. */
  readonly commands: string[] = [];
  /** The highest number of submits that waited for their answers at the same time. */
  mostOutstanding = 0;
  #outstanding = 0;
  notation = notations.same;
  /** Returns the answer to a submit; undefined means status 0. */
  onSubmit: ((submit: PDU) => SubmitAnswer | undefined) | null = null;
  /** The delay of the answer to a submit. */
  answerAfterMs = 0;
  /** Whether receipts are held back until releaseReceipts(). */
  holdsReceipts = false;
  /** How many times each receipt is delivered. */
  receiptCopies = 1;
  receiptFields: ((submit: PDU, id: string) => Record<string, unknown>) | null = null;
  /** If set, `count` inbound parts are collected and then delivered in this order. */
  reorder: { count: number; order: (parts: Record<string, unknown>[]) => Record<string, unknown>[] } | null =
    null;
  #collected: [SmscUser, Record<string, unknown>][] = [];
  /** Whether requests are received without being answered. */
  isUnresponsive = false;

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
    // A client may refuse the certificate.
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  /** Closes all connections. */
  cut(): void {
    for (const session of this.#bound.keys()) session.destroy();
  }

  /** Stops the SMSC, as if it were switched off; listen() starts it again on the same port. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    this.cut();
    await closed;
  }

  /** Sends a command to every bound client and waits for the answers. */
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

  /** Delivers a text from outside to a user. */
  deliver(systemId: string, fields: Record<string, unknown>): void {
    const to = this.#options.users.find((each) => each.systemId === systemId);
    if (!to) throw new Error(`no user has the system id ${systemId}`);
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
      if (pdu.isResponse() || this.isUnresponsive) return;
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
    const isAuthenticated = user && user.password === pdu.password;
    const status = isAuthenticated ? 0 : user ? smpp.errors.ESME_RINVPASWD : smpp.errors.ESME_RINVSYSID;
    session.send(pdu.response({ command_status: status, system_id: 'smsc' }));
    if (!user || !isAuthenticated) return;
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
      // A copy, because encoding changes the fields.
      session.send(new smpp.PDU('deliver_sm', { ...each.fields }), (answer) => {
        if (answer.command_status === 0) this.#waiting = this.#waiting.filter((other) => other !== each);
        else setTimeout(() => ((each.sentOver = null), this.#flush()), 200);
      });
    }
  }
}

/** The fields of a submitted text for its delivery, with its user data header. */
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
    // In ASCII, although data coding 0 is the GSM alphabet, as real SMSCs do.
    short_message: Buffer.from(
      `id:${id} sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:${stat} err:${err} text:`,
      'ascii',
    ),
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

/** A user with a random password. */
export const smscUser = (numbers: string[], systemId = 'parley'): SmscUser => ({
  systemId,
  password: randomUUID().slice(0, 8),
  numbers,
});
