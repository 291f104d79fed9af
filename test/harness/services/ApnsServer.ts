import { generateKeyPairSync } from 'node:crypto';
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';

export interface ApnsRequest {
  token: string;
  headers: IncomingHttpHeaders;
  body: { aps: Record<string, unknown>; parley: Record<string, unknown> };
}

interface ApnsAnswer {
  status: number;
  reason?: string;
}

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A fake of Apple's push service, as documented: HTTP/2, tokens signed with the team's key. */
export class ApnsServer {
  readonly received: ApnsRequest[] = [];
  /** Answers for the next requests, in order. Without one, a request is accepted. A refused one is not processed. */
  readonly answers: (ApnsAnswer | 'refused')[] = [];
  /** Number of connections so far. */
  connections = 0;
  readonly #server: Http2Server = createServer();
  readonly #sessions = new Set<ServerHttp2Session>();

  /** The credentials it expects from the app's server. */
  readonly account = {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    keyId: 'ABC123DEFG',
    teamId: 'DEF123GHIJ',
    topic: 'org.example.app',
  };

  static async start(): Promise<ApnsServer> {
    const server = new ApnsServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor() {
    this.#server.on('session', (session) => {
      this.connections++;
      this.#sessions.add(session.on('close', () => this.#sessions.delete(session)));
    });
    this.#server.on('stream', (stream, headers) => {
      let text = '';
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        const answer = this.#answer(headers, text);
        if (answer === 'refused') return stream.close(constants.NGHTTP2_REFUSED_STREAM);
        const { status, reason } = answer;
        stream.respond({ ':status': status, 'apns-id': '5c9e1bd6-0d0e-4f4e-9d0f-3d6a3b7c0a11' });
        stream.end(reason ? JSON.stringify({ reason }) : '');
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Asks clients to reconnect (GOAWAY), as Apple does from time to time. */
  sendGoaway(): void {
    for (const session of this.#sessions) session.goaway();
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(headers: IncomingHttpHeaders, text: string): ApnsAnswer | 'refused' {
    const { ':path': path = '', ':method': method, authorization = '' } = headers;
    const token = /^\/3\/device\/([0-9a-f]+)$/.exec(path)?.[1];
    if (method !== 'POST' || !token) return { status: 404, reason: 'BadPath' };
    if (!this.#isSigned(authorization)) return { status: 403, reason: 'InvalidProviderToken' };
    const { topic } = this.account;
    const type = headers['apns-push-type'];
    if (headers['apns-topic'] !== (type === 'voip' ? `${topic}.voip` : topic))
      return { status: 400, reason: 'TopicDisallowed' };
    if (String(headers['apns-collapse-id'] ?? '').length > 64)
      return { status: 400, reason: 'BadCollapseId' };
    this.received.push({ token, headers, body: JSON.parse(text) as ApnsRequest['body'] });
    return this.answers.shift() ?? { status: 200 };
  }

  #isSigned(authorization: string): boolean {
    const token = /^bearer (.+)$/.exec(authorization)?.[1] ?? '';
    const { keyId, teamId: issuer } = this.account;
    try {
      jwt.verify(token, keys.publicKey, { algorithms: ['ES256'], issuer, maxAge: '1h' });
      return jwt.decode(token, { complete: true })?.header.kid === keyId;
    } catch {
      return false;
    }
  }
}
