import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import jwt from 'jsonwebtoken';

interface FcmMessage {
  token: string;
  data: Record<string, string>;
  android: { priority: string; ttl: string; collapse_key?: string };
}

/** The keys that FCM does not accept in the data of a message. */
const reservedKeys = /^(from$|message_type$|google|gcm)/i;

interface FcmAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: object;
  /** The connection is closed in place of an answer. */
  isLost?: true;
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const accountKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A fake of Google's token endpoint and of FCM's HTTP v1 API, as documented, for sending only. */
export class FcmServer {
  readonly received: FcmMessage[] = [];
  /** Answers for the next messages, in order. Without one, a message is accepted. */
  readonly answers: FcmAnswer[] = [];
  /** Answers wait for this promise. */
  hold: Promise<unknown> | null = null;
  readonly #server: Server;
  readonly #tokens = new Set<string>();

  static async start(): Promise<FcmServer> {
    const server = new FcmServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor() {
    const app = express();
    app.post('/token', express.urlencoded({ extended: false }), (request, response) => {
      const { grant_type: grantType, assertion } = request.body as Record<string, string>;
      if (grantType !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || !this.#isSigned(assertion ?? ''))
        return void response.status(400).json({ error: 'invalid_grant' });
      const token = `ya29.${this.#tokens.size}`;
      this.#tokens.add(token);
      response.json({ access_token: token, expires_in: 3_599, token_type: 'Bearer' });
    });
    app.post('/v1/projects/parley-test/messages\\:send', express.json(), (request, response) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (!this.#tokens.has(token)) return void response.status(401).json(fcmError('UNAUTHENTICATED'));
      const { message } = request.body as { message: FcmMessage };
      const refused = refusalOf(message.data);
      if (refused) return void response.status(400).json(refused);
      this.received.push(message);
      const { status = 200, headers = {}, body, isLost } = this.answers.shift() ?? {};
      if (isLost) return void response.destroy();
      const name = `projects/parley-test/messages/${this.received.length}`;
      const answer = () =>
        response
          .status(status)
          .set(headers)
          .json(body ?? { name });
      void Promise.resolve(this.hold).then(answer);
    });
    this.#server = createServer(app);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The number of tokens issued so far. */
  get tokens(): number {
    return this.#tokens.size;
  }

  /** Invalidates all tokens issued so far. */
  endTokens(): void {
    const count = this.#tokens.size;
    this.#tokens.clear();
    for (let index = 0; index < count; index++) this.#tokens.add(`ended ${index}`);
  }

  /** The service account file, in the form that Google offers for download. */
  get serviceAccount() {
    return {
      type: 'service_account',
      project_id: 'parley-test',
      private_key_id: 'key1',
      private_key: accountKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      client_email: 'parley@parley-test.iam.gserviceaccount.com',
      token_uri: `${this.url}/token`,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #isSigned(assertion: string): boolean {
    const { client_email: issuer, token_uri: audience } = this.serviceAccount;
    try {
      const claims = jwt.verify(assertion, accountKeys.publicKey, {
        algorithms: ['RS256'],
        issuer,
        audience,
      });
      return typeof claims === 'object' && claims.scope === scope;
    } catch {
      return false;
    }
  }
}

/** FCM's answer to data that it does not accept. */
function refusalOf(data: Record<string, unknown>) {
  const invalid = (field: string, message: string, details: object[]) => {
    const violations = {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field, description: message }],
    };
    return { error: { code: 400, message, status: 'INVALID_ARGUMENT', details: [...details, violations] } };
  };
  const index = Object.values(data).findIndex((value) => typeof value !== 'string');
  const field = `message.data[${index}].value`;
  if (index >= 0)
    return invalid(
      field,
      `Invalid value at '${field}' (TYPE_STRING), ${String(Object.values(data)[index])}`,
      [],
    );
  const key = Object.keys(data).find((each) => reservedKeys.test(each));
  if (key === undefined) return null;
  const { details } = fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT').error;
  return invalid('message.data', `Invalid data payload key: ${key}`, details);
}

/** An error body in FCM's format. */
export const fcmError = (status: string, errorCode?: string) => ({
  error: {
    code: 0,
    message: 'refused',
    status,
    details: errorCode ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }] : [],
  },
});
