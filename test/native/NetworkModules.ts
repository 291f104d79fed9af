import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import type { Methods } from './Phone.ts';

type Emit = (name: string, payload: unknown) => void;
type Header = [name: string, value: string];
interface BlobData {
  blobId: string;
  offset: number;
  size: number;
}
interface Body {
  string?: string;
  base64?: string;
  blob?: BlobData;
  uri?: string;
}

/** The native modules of React Native for HTTP, WebSockets and blobs, and of NetInfo, over the network of this machine. */
export class NetworkModules {
  readonly #emit: Emit;
  readonly #sockets = new Map<number, WebSocket>();
  readonly #requests = new Map<number, AbortController>();
  readonly #blobs = new Map<string, Buffer>();
  #isOnline = true;
  #type = 'wifi';
  /** What the app has sent over its WebSockets. */
  readonly sent: string[] = [];
  #heldFrom: string | null = null;
  readonly #held: (() => void)[] = [];

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get modules(): Record<string, Methods> {
    const http = this as never;
    return {
      Networking: http,
      BlobModule: http,
      FileReaderModule: http,
      RNCNetInfo: http,
      WebSocketModule: {
        connect: this.#connect,
        send: (message: string, id: number) => {
          this.sent.push(message);
          this.#sockets.get(id)?.send(message);
        },
        sendBinary: (base64: string, id: number) =>
          this.#sockets.get(id)?.send(Buffer.from(base64, 'base64')),
        ping: (id: number) => this.#sockets.get(id)?.ping(),
        close: (code: number, reason: string, id: number) => this.#sockets.get(id)?.close(code, reason),
      },
    };
  }

  /**
   * Takes the phone off the network, or back. Open sockets die without a word to the app, as they do on a phone that sleeps; with
   * `isNoticed` the app is told, as when Wi-Fi is switched off.
   */
  setOnline(isOnline: boolean, isNoticed: boolean): void {
    this.#isOnline = isOnline;
    if (!isOnline) {
      for (const [id, socket] of this.#sockets) {
        socket.removeAllListeners('close');
        socket.on('error', () => undefined);
        socket.terminate();
        if (isNoticed) this.#emit('websocketFailed', { id, message: 'Software caused connection abort' });
      }
      this.#sockets.clear();
      for (const controller of this.#requests.values()) controller.abort();
    }
    if (isNoticed || isOnline) this.#emit('netInfo.networkStatusDidChange', this.getCurrentState());
  }

  /**
   * The first message of the server that contains this text, and all after it, arrive late.
   * @returns a function that lets them arrive
   */
  holdFrom(text: string): () => void {
    this.#heldFrom = text;
    return () => {
      this.#heldFrom = null;
      for (const deliver of this.#held.splice(0)) deliver();
    };
  }

  #deliver(deliver: () => void, message: string): void {
    const isHeld = this.#held.length > 0 || (this.#heldFrom !== null && message.includes(this.#heldFrom));
    if (isHeld) this.#held.push(deliver);
    else deliver();
  }

  /** The phone leaves its network for another one, for example the Wi-Fi of a home. */
  switchTo(type: 'wifi' | 'cellular'): void {
    this.#type = type;
    this.#emit('netInfo.networkStatusDidChange', this.getCurrentState());
  }

  close(): void {
    this.setOnline(false, false);
  }

  // RNCNetInfo
  getCurrentState(): object {
    const type = this.#isOnline ? this.#type : 'none';
    return { type, isConnected: this.#isOnline, isInternetReachable: this.#isOnline, details: null };
  }

  configure(): void {}

  // Networking
  async sendRequest(
    method: string,
    url: string,
    requestId: number,
    headers: Header[],
    data: Body,
    responseType: string,
  ): Promise<void> {
    const complete = (error: string) => this.#emit('didCompleteNetworkResponse', [requestId, error, false]);
    if (url.startsWith('file:')) {
      const file = await readFile(fileURLToPath(url));
      this.#emit('didReceiveNetworkResponse', [requestId, 200, {}, url]);
      this.#emit('didReceiveNetworkData', [requestId, this.#bodyFor(file, responseType)]);
      return complete('');
    }
    if (!this.#isOnline) return complete('Network request failed');
    const controller = new AbortController();
    this.#requests.set(requestId, controller);
    try {
      const body = await this.#bytesOf(data);
      const response = await fetch(url, {
        method,
        headers,
        signal: controller.signal,
        ...(body ? { body: new Uint8Array(body) } : {}),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      this.#emit('didReceiveNetworkResponse', [
        requestId,
        response.status,
        Object.fromEntries(response.headers),
        response.url,
      ]);
      this.#emit('didReceiveNetworkData', [requestId, this.#bodyFor(bytes, responseType)]);
      complete('');
    } catch (error) {
      complete(String(error));
    } finally {
      this.#requests.delete(requestId);
    }
  }

  abortRequest(requestId: number): void {
    this.#requests.get(requestId)?.abort();
  }

  // WebSocketModule
  readonly #connect = (
    url: string,
    protocols: string[] | null,
    { headers }: { headers?: object },
    id: number,
  ): void => {
    if (!this.#isOnline) return this.#emit('websocketFailed', { id, message: 'Network is unreachable' });
    // Android sends the origin of the URL, as WebSocketModule.java does.
    const origin = new URL(url).origin.replace(/^ws/, 'http');
    const socket = new WebSocket(url, protocols ?? [], { headers: { origin, ...headers } });
    this.#sockets.set(id, socket);
    socket.on('open', () => this.#emit('websocketOpen', { id, protocol: socket.protocol }));
    socket.on('message', (data: Buffer, isBinary) => {
      const type = isBinary ? 'binary' : 'text';
      const message = { id, type, data: data.toString(isBinary ? 'base64' : 'utf8') };
      this.#deliver(() => this.#emit('websocketMessage', message), message.data);
    });
    socket.on('error', ({ message }) => this.#emit('websocketFailed', { id, message }));
    socket.on('close', (code, reason) => {
      this.#sockets.delete(id);
      this.#emit('websocketClosed', { id, code, reason: reason.toString() });
    });
  };

  // BlobModule
  createFromParts(parts: { type: 'string' | 'blob'; data: string | BlobData }[], id: string): void {
    const bytes = parts.map(({ data }) => (typeof data === 'string' ? Buffer.from(data) : this.#slice(data)));
    this.#blobs.set(id, Buffer.concat(bytes));
  }

  release(id: string): void {
    this.#blobs.delete(id);
  }

  // FileReaderModule
  readAsText(blob: BlobData): string {
    return this.#slice(blob).toString();
  }

  readAsDataURL(blob: BlobData): string {
    return `data:application/octet-stream;base64,${this.#slice(blob).toString('base64')}`;
  }

  #slice({ blobId, offset, size }: BlobData): Buffer {
    const bytes = this.#blobs.get(blobId);
    if (!bytes) throw new Error(`There is no blob ${blobId}.`);
    return bytes.subarray(offset, offset + size);
  }

  async #bytesOf({ string, base64, blob, uri }: Body): Promise<Buffer | null> {
    if (blob) return this.#slice(blob);
    if (base64 !== undefined) return Buffer.from(base64, 'base64');
    if (uri !== undefined) return readFile(fileURLToPath(uri));
    return string === undefined ? null : Buffer.from(string);
  }

  #bodyFor(bytes: Buffer, responseType: string): unknown {
    if (responseType === 'text') return bytes.toString();
    if (responseType === 'base64') return bytes.toString('base64');
    const blobId = `response-${this.#blobs.size}-${bytes.length}`;
    this.#blobs.set(blobId, bytes);
    return { blobId, offset: 0, size: bytes.length };
  }
}
