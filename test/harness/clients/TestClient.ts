import { io } from 'socket.io-client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type { Answer, RequestName, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import type { SessionStorage } from '../../../sdk/src/types.ts';
import { RecordingClient } from './RecordingClient.ts';

const requestLimitMs = 45_000;

/** A wallet's device that runs the SDK in this process. */
export class TestClient extends RecordingClient {
  readonly account: PrivateKeyAccount;
  readonly #url: string;

  /** @param account the wallet to sign in, as another of its devices. @default a new wallet */
  static async signIn(
    url: string,
    account = privateKeyToAccount(generatePrivateKey()),
    storage?: SessionStorage,
  ): Promise<TestClient> {
    const parley = new Parley({ apiKey: '', baseUrl: url, ...(storage ? { storage } : {}) });
    const client = new TestClient(url, account, parley);
    await client.parley.signIn(account);
    return client;
  }

  /** Creates a client of an app whose backend holds the session. */
  static withTokens(url: string, account: PrivateKeyAccount, getToken: () => Promise<string>): TestClient {
    return new TestClient(url, account, new Parley({ apiKey: '', baseUrl: url, getToken }));
  }

  private constructor(url: string, account: PrivateKeyAccount, parley: Parley) {
    super(parley);
    this.#url = url;
    this.account = account;
  }

  get address() {
    return this.account.address;
  }

  /** Sends a raw request on a separate connection. @throws ParleyError */
  async request<Name extends RequestName>(name: Name, payload: unknown): Promise<ResponseOf<Name>> {
    const token = this.parley.session?.token;
    const socket = io(this.#url, {
      transports: ['websocket'],
      forceNew: true,
      auth: { token, protocolVersion },
    });
    try {
      const answer = (await socket.timeout(requestLimitMs).emitWithAck(name, payload)) as Answer<Name>;
      if (!answer.ok) throw ParleyError.fromBody(answer.error);
      return answer.data;
    } finally {
      socket.disconnect();
    }
  }
}
