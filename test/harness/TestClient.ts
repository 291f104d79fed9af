import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem';
import { Parley } from '../../sdk/src/Parley.ts';
import type { ParleyEvents } from '../../sdk/src/types.ts';

const eventLimitMs = 10_000;

const conferenceEvents = [
  'conference:participant:joined',
  'conference:participant:left',
  'conference:participant:updated',
  'conference:screenshare:started',
  'conference:screenshare:stopped',
  'conference:chat:message',
  'conference:updated',
  'conference:ended',
  'conference:invited',
  'conference:muted',
  'conference:removed',
  'conference:waiting',
  'conference:waiting:joined',
  'conference:waiting:left',
] as const;

/** A wallet with the SDK in this process: signalling without media, and a record of every event. */
export class TestClient {
  readonly account: PrivateKeyAccount;
  readonly parley: Parley;
  readonly #seen: { [Name in keyof ParleyEvents]?: ParleyEvents[Name][] } = {};
  readonly #waiting = new Set<() => void>();

  /** @param account another device of the same wallet */
  static async signIn(url: string, account = privateKeyToAccount(generatePrivateKey())): Promise<TestClient> {
    const client = new TestClient(account, new Parley({ apiKey: '', baseUrl: url }));
    await client.parley.signIn(account);
    return client;
  }

  /** A client of an app whose backend holds the session. */
  static withTokens(url: string, account: PrivateKeyAccount, getToken: () => Promise<string>): TestClient {
    return new TestClient(account, new Parley({ apiKey: '', baseUrl: url, getToken }));
  }

  private constructor(account: PrivateKeyAccount, parley: Parley) {
    this.account = account;
    this.parley = parley;
    for (const name of [
      'call:incoming',
      'call:answered',
      'call:ended',
      'call:declined',
      'call:missed',
    ] as const) {
      this.#record(name);
    }
    for (const name of conferenceEvents) this.#record(name);
    this.#record('connection:changed');
    this.#record('media:replaced');
  }

  get address() {
    return this.account.address;
  }

  /** All events of this name so far. */
  seen<Name extends keyof ParleyEvents>(name: Name): ParleyEvents[Name][] {
    return this.#seen[name] ?? [];
  }

  /** The first event of this name that fits, past or to come. */
  async event<Name extends keyof ParleyEvents>(
    name: Name,
    fits: (payload: ParleyEvents[Name]) => boolean = () => true,
    limitMs = eventLimitMs,
  ): Promise<ParleyEvents[Name]> {
    const find = () => this.seen(name).find(fits);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no ${name} within ${limitMs} ms; seen: ${JSON.stringify(this.#seen)}`));
      }, limitMs);
      const look = () => {
        const found = find();
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.parley.close();
  }

  #record<Name extends keyof ParleyEvents>(name: Name): void {
    this.parley.on(name, (payload) => {
      const list = (this.#seen[name] ??= []) as ParleyEvents[Name][];
      list.push(payload);
      for (const look of [...this.#waiting]) look();
    });
  }
}
