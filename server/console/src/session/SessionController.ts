import { ParleyError, type Parley, type ParleyEvents, type Session } from '@parley/sdk';
import { CallController } from '../calls/CallController.ts';
import { HistoryController } from '../pages/calls/HistoryController.ts';
import { explain, explainSignIn, type Problem } from '../ui/explain.ts';
import { AccountData } from './AccountData.ts';
import type { BrowserWallet } from './browserWallets.ts';
import { forget, recall, remember, type Remembered } from './remembered.ts';
import { Store } from './Store.ts';

export type Connection = 'connected' | 'reconnecting';

export interface SignedIn {
  phase: 'signedIn';
  address: string;
  kind: Remembered['kind'];
  connection: Connection;
  calls: CallController;
  history: HistoryController;
  account: AccountData;
}

export type SessionState =
  | { phase: 'signedOut'; problem: Problem | null }
  /** `restoring`: by itself, after a reload. */
  | { phase: 'signingIn'; kind: Remembered['kind']; restoring: boolean }
  | SignedIn;

type Opening = { client: Parley; who: Remembered; address: string };

/** Owns the client: who is signed in, through reloads and lost sessions. */
export class SessionController {
  readonly store: Store<SessionState>;
  readonly #report: (error: unknown) => void;
  #client: Parley | null = null;
  #who: Remembered | null = null;
  #signedInAt = 0;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
    const who = recall();
    this.store = new Store<SessionState>(
      who ? { phase: 'signingIn', kind: who.kind, restoring: true } : { phase: 'signedOut', problem: null },
    );
    if (who) void this.#signIn(who.kind, () => this.#restore(who), true);
  }

  /** A new wallet for this tab, kept in the tab alone. */
  async tryOut(): Promise<void> {
    await this.#signIn('throwaway', async () => {
      const { generatePrivateKey } = await import('./openClient.ts');
      return this.#openThrowaway(generatePrivateKey());
    });
  }

  async connect(wallet: BrowserWallet): Promise<void> {
    await this.#signIn('wallet', async () => {
      const client = await this.#newClient();
      const session: Session = await client.signIn(wallet.provider);
      return { client, who: { kind: 'wallet' }, address: session.walletAddress };
    });
  }

  async signOut(): Promise<void> {
    await this.#calls()?.hangUp();
    const client = this.#client;
    this.#leave(null);
    // The server ends the session if it can be reached; the tab has forgotten it either way.
    await client?.signOut().catch(() => undefined);
  }

  async #signIn(kind: Remembered['kind'], open: () => Promise<Opening>, restoring = false): Promise<void> {
    this.store.set({ phase: 'signingIn', kind, restoring });
    try {
      await this.#enter(await open());
    } catch (error) {
      const problem = restoring ? explain(error) : explainSignIn(error);
      // A server that is away for a moment must not cost somebody the wallet they are known by.
      if (restoring && problem.canRetry) this.#leave(problem, { keep: true });
      else this.#leave(problem);
    }
  }

  /** Tries again to be who this tab was: after the server was away. */
  async resume(): Promise<void> {
    const who = recall();
    if (who) await this.#signIn(who.kind, () => this.#restore(who), true);
    else this.#leave(null);
  }

  async #restore(who: Remembered): Promise<Opening> {
    if (who.kind === 'throwaway') return this.#openThrowaway(who.privateKey);
    const client = await this.#newClient();
    // Renewed by the SDK where it has run out; a session that is gone needs the wallet to sign again.
    if (!client.session)
      throw new ParleyError('AUTHENTICATION_REQUIRED', 'The session has ended: sign in again.');
    return { client, who, address: client.session.walletAddress };
  }

  async #openThrowaway(privateKey: `0x${string}`): Promise<Opening> {
    const { privateKeyToAccount } = await import('./openClient.ts');
    const client = await this.#newClient();
    const session = await client.signIn(privateKeyToAccount(privateKey));
    return { client, who: { kind: 'throwaway', privateKey }, address: session.walletAddress };
  }

  async #newClient(): Promise<Parley> {
    const { newClient } = await import('./openClient.ts');
    this.#client?.close();
    this.#client = newClient();
    return this.#client;
  }

  async #enter({ client, who, address }: Opening): Promise<void> {
    const calls = new CallController(client, this.#report);
    const history = new HistoryController(client, calls.store);
    const account = new AccountData(client);
    client.on('connection:changed', (change) => this.#follow(client, change));
    // The first request finds out whether a remembered token still holds; with the keys known, nothing moves on the first page.
    await Promise.all([calls.sync(), account.keys.refresh()]);
    remember(who);
    this.#who = who;
    this.#signedInAt = Date.now();
    const connection = 'connected';
    this.store.set({ phase: 'signedIn', address, kind: who.kind, connection, calls, history, account });
  }

  #follow(client: Parley, { state, error }: ParleyEvents['connection:changed']): void {
    const session = this.store.get();
    if (client !== this.#client || session.phase !== 'signedIn') return;
    if (state === 'closed') return this.#refused(error);
    const connection: Connection = state === 'connected' ? 'connected' : 'reconnecting';
    if (connection === session.connection) return;
    this.store.set({ ...session, connection });
    if (connection === 'connected') session.calls.sync().catch(this.#report);
  }

  /** The server ended the session. A throw-away wallet just signs in again; a browser wallet has to be asked. */
  #refused(error: ParleyError | undefined): void {
    const justSignedIn = Date.now() - this.#signedInAt < 10_000;
    if (this.#who?.kind === 'throwaway' && !justSignedIn) return void this.resume();
    this.#leave(error ? explain(error) : null);
  }

  #leave(problem: Problem | null, options: { keep?: boolean } = {}): void {
    if (!options.keep) forget();
    const client = this.#client;
    this.#client = null;
    this.#who = null;
    // Whatever it still had open: a camera among it.
    client?.close();
    this.store.set({ phase: 'signedOut', problem });
  }

  #calls(): CallController | null {
    const session = this.store.get();
    return session.phase === 'signedIn' ? session.calls : null;
  }
}
