import { once } from 'node:events';
import { WebSocket } from 'ws';

interface Pending {
  resolve: (answer: string) => void;
  reject: (error: Error) => void;
}

const engine = { open: '0', ping: '2', pong: '3' };
const packet = { connect: '40', event: '42', answer: '43', refusal: '44' };
/** The server writes the id first: payloads begin with it. */
const idOfEvent = /"id":"([^"]+)"/;

/**
 * A light Socket.IO client: it writes each request like the real one, but reads only what the benchmark needs, without parsing the whole
 * payload. The real client would use more CPU time than the server, on the same cores.
 */
export class LightSocket {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, Pending>();
  #asked = 0;

  /**
   * @param auth what the handshake contains
   * @param event the event to listen to @param onEvent called with the id that its payload has
   */
  static async connect(
    url: string,
    auth: object,
    event: string,
    onEvent: (id: string) => void,
  ): Promise<LightSocket> {
    const address = `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const socket = new WebSocket(address, { perMessageDeflate: false });
    const client = new LightSocket(socket);
    const ready = once(socket, 'ready');
    const prefix = `${packet.event}["${event}",`;
    socket.on('message', (bytes: Buffer) => {
      const text = bytes.toString();
      if (text.startsWith(packet.answer)) client.#settle(text);
      else if (text.startsWith(prefix)) onEvent(idOfEvent.exec(text)?.[1] ?? '');
      else if (text === engine.ping) socket.send(engine.pong);
      else if (text.startsWith(engine.open)) socket.send(packet.connect + JSON.stringify(auth));
      else if (text.startsWith(packet.connect)) socket.emit('ready');
      else if (text.startsWith(packet.refusal)) socket.emit('error', new Error(text));
    });
    await ready;
    socket.on('error', () => {});
    socket.once('close', () => client.#fail());
    return client;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @returns the JSON of the answer's arguments */
  ask(name: string, payload: object): Promise<string> {
    const number = this.#asked++;
    this.#socket.send(`${packet.event}${number}["${name}",${JSON.stringify(payload)}]`);
    return new Promise((resolve, reject) => this.#answers.set(number, { resolve, reject }));
  }

  close(): void {
    this.#answers.clear();
    this.#socket.terminate();
  }

  /** A benchmark must not wait for a server that has ended. */
  #fail(): void {
    for (const { reject } of this.#answers.values()) reject(new Error('the server closed the connection'));
  }

  #settle(text: string): void {
    const start = text.indexOf('[');
    const number = Number(text.slice(packet.answer.length, start));
    this.#answers.get(number)?.resolve(text.slice(start));
    this.#answers.delete(number);
  }
}
