import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Janus ends a session from which it has not heard for a minute. */
const keepaliveMs = 25_000;
const answerLimitMs = 30_000;

interface Message {
  janus: string;
  transaction?: string;
  data?: { id: number };
  plugindata?: { data: { error?: string } };
  jsep?: { type: 'offer' | 'answer'; sdp: string };
  error?: { code: number; reason: string };
}

/** A session of Janus over a WebSocket of its own, with one handle of VideoRoom, like that of a browser. */
export class JanusSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (message: Message) => void>();
  readonly #keepalive: NodeJS.Timeout;
  #sessionId = 0;
  #handleId = 0;
  #transactions = 0;

  static async open(url: string): Promise<JanusSession> {
    const socket = new WebSocket(url, 'janus-protocol');
    await once(socket, 'open');
    const session = new JanusSession(socket);
    session.#sessionId = (await session.#ask({ janus: 'create' })).data?.id ?? 0;
    const attach = { janus: 'attach', plugin: 'janus.plugin.videoroom' };
    session.#handleId = (await session.#ask(attach)).data?.id ?? 0;
    return session;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString()) as Message));
    this.#keepalive = setInterval(() => this.#send({ janus: 'keepalive' }, ''), keepaliveMs);
  }

  /**
   * Sends a request to VideoRoom.
   * @param jsep the session description that belongs to it
   * @returns the session description that came with the answer
   * @throws an error with Janus's reason
   */
  async request(body: object, jsep?: Message['jsep']): Promise<string> {
    const answer = await this.#ask({ janus: 'message', body, ...(jsep && { jsep }) });
    const error = answer.plugindata?.data.error;
    if (error !== undefined) throw new Error(`Janus: ${error}`);
    return answer.jsep?.sdp ?? '';
  }

  close(): void {
    clearInterval(this.#keepalive);
    this.#socket.close();
  }

  #ask(message: object): Promise<Message> {
    const transaction = String(++this.#transactions);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Janus did not answer in time')), answerLimitMs);
      this.#waiting.set(transaction, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(transaction);
        if (answer.error) reject(new Error(`Janus: ${answer.error.reason}`));
        else resolve(answer);
      });
      this.#send(message, transaction);
    });
  }

  #send(message: object, transaction: string): void {
    const ids = {
      ...(this.#sessionId > 0 && { session_id: this.#sessionId }),
      ...(this.#handleId > 0 && { handle_id: this.#handleId }),
    };
    this.#socket.send(JSON.stringify({ ...message, ...ids, transaction }));
  }

  #take(message: Message): void {
    // A request to a plugin is acknowledged first, and answered by an event.
    if (message.janus !== 'ack') this.#waiting.get(message.transaction ?? '')?.(message);
  }
}
