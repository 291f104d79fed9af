import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Arrivals } from './Transport.ts';

/**
 * A light XMPP client over TCP, so that the generator costs as little as possible: it reads only the ids of messages and the counts of
 * acknowledged stanzas (XEP-0198), without an XML parser. The server’s stanzas are written by ejabberd, which never breaks these patterns.
 */
export class XmppClient {
  readonly jid: string;
  readonly #socket: Socket;
  readonly #domain: string;
  #text = '';
  #expected: { mark: string; resolve: () => void } | null = null;
  /** What waits for the acknowledgement of a stanza, by its number. */
  readonly #unacknowledged = new Map<number, () => void>();
  #isClosed = false;
  #sent = 0;
  #acknowledged = 0;
  /** The number of stanzas that have arrived. The server ends the stream of a client that does not tell it within a minute. */
  #arrived = 0;

  static async connect(
    port: number,
    { user, domain, password }: { user: string; domain: string; password: string },
    arrivals: Arrivals,
  ): Promise<XmppClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new XmppClient(socket, user, domain, arrivals);
    const plain = Buffer.from(`\0${user}\0${password}`).toString('base64');
    await client.#ask(client.#header, '</stream:features>');
    await client.#ask(
      `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${plain}</auth>`,
      '<success',
    );
    await client.#ask(client.#header, '</stream:features>');
    const bind = `<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>bench</resource></bind>`;
    await client.#ask(`<iq type='set' id='bind'>${bind}</iq>`, '</iq>');
    await client.#ask(`<enable xmlns='urn:xmpp:sm:3'/>`, '<enabled');
    await client.#ask('<presence/>', '<presence');
    client.#sent = 1;
    // Its own presence came back, and the server's question about it may be lost with the answers above.
    client.#arrived = 1;
    client.#acknowledge();
    socket.setNoDelay();
    return client;
  }

  private constructor(socket: Socket, user: string, domain: string, arrivals: Arrivals) {
    this.jid = `${user}@${domain}`;
    this.#socket = socket;
    this.#domain = domain;
    socket.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk, arrivals));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!this.#isClosed) throw new Error(`ejabberd has ended the stream of ${this.jid}`);
    });
  }

  /** Sends a message. Resolves when the server has acknowledged it. */
  send(to: string, id: string, body: string): Promise<void> {
    const number = ++this.#sent;
    const acknowledged = new Promise<void>((resolve) => this.#unacknowledged.set(number, resolve));
    this.#socket.write(
      `<message to='${to}' id='${id}' type='chat'><body>${body}</body></message><r xmlns='urn:xmpp:sm:3'/>`,
    );
    return acknowledged;
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  get #header() {
    return `<stream:stream to='${this.#domain}' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>`;
  }

  #ask(text: string, mark: string): Promise<void> {
    this.#text = '';
    const answered = new Promise<void>((resolve) => (this.#expected = { mark, resolve }));
    this.#socket.write(text);
    return answered;
  }

  #read(chunk: string, arrivals: Arrivals): void {
    this.#text += chunk;
    if (this.#expected) {
      if (this.#text.includes('<failure') || this.#text.includes('<stream:error'))
        throw new Error(`ejabberd refused: ${this.#text}`);
      if (!this.#text.includes(this.#expected.mark)) return;
      const { resolve } = this.#expected;
      this.#expected = null;
      this.#text = '';
      return resolve();
    }
    let end = 0;
    for (const match of this.#text.matchAll(
      /<message [^>]*?\bid='(msg_[^']+)'.*?<\/message>|<a [^>]*?\bh='(\d+)'[^>]*>|<r [^>]*>/gs,
    )) {
      const [text, id, count] = match;
      end = match.index + text.length;
      if (id !== undefined) {
        this.#arrived++;
        arrivals.arrived(id);
      } else if (count !== undefined) this.#settle(Number(count));
      else this.#acknowledge();
    }
    this.#text = this.#text.slice(end);
  }

  #acknowledge(): void {
    this.#socket.write(`<a xmlns='urn:xmpp:sm:3' h='${this.#arrived}'/>`);
  }

  #settle(count: number): void {
    for (; this.#acknowledged < count; this.#acknowledged++) {
      const number = this.#acknowledged + 1;
      this.#unacknowledged.get(number)?.();
      this.#unacknowledged.delete(number);
    }
  }
}
