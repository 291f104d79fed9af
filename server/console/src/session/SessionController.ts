import { type BrowserWallet, Store } from '@parley/react';
import { ParleyError, type Parley, type ParleyEvents, type Provider, type Session } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { createQueries, type Queries } from '../data/createQueries.ts';
import { createQueryClient } from '../data/createQueryClient.ts';
import { followEvents } from '../data/followEvents.ts';
import { PushRegistration } from '../notifications/PushRegistration.ts';
import { OpenOrders } from '../phone/OpenOrders.ts';
import { returnPath } from '../provider/returnPath.ts';
import type { Returned } from '../provider/providerFlow.ts';
import { pagePaths } from '../shell/paths.ts';
import { explain, explainProvider, explainSignIn, type Problem } from '../ui/explain.ts';
import {
  forget,
  isSeparate,
  recall,
  remember,
  rememberedKey,
  separateIfAsked,
  storageFor,
  type Kept,
  type Remembered,
} from './remembered.ts';

export type Connection = 'connected' | 'reconnecting';

export interface SignedIn {
  phase: 'signedIn';
  client: Parley;
  /** The wallet's identity (`walletId`); null for an account without a wallet. */
  address: string | null;
  kind: Remembered['kind'];
  connection: Connection;
  /** What the session reads from the server. */
  queries: Queries;
  /** The cache for the results of the queries. */
  queryClient: QueryClient;
  /** Orders of numbers that this tab is waiting for. */
  openOrders: OpenOrders;
  /** Null for accounts without a wallet. */
  wallet: WalletData | null;
}

export interface WalletData {
  push: PushRegistration;
  /** The recipient of the voicemail being recorded; null while the dialog is closed. */
  leavingVoicemailFor: Store<string | null>;
}

export type SessionState =
  | { phase: 'signedOut'; problem: Problem | null }
  /** `restoring`: whether the tab signs in automatically, for example after a reload. */
  | { phase: 'signingIn'; kind: Remembered['kind']; restoring: boolean }
  | SignedIn;

interface Opening extends Kept {
  client: Parley;
  address: string | null;
}

/** Owns the client and the session, restores them after reloads and lost sessions, and follows the other tabs that share the session. */
export class SessionController {
  readonly store: Store<SessionState>;
  readonly #report: (error: unknown) => void;
  #client: Parley | null = null;
  #kept: Kept | null = null;
  /** Where the client keeps its session. */
  #storage: Storage | null = null;
  #signedInAt = 0;
  #hangUp: () => Promise<void> = async () => {};
  #provider: Promise<Provider | null> | null = null;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
    separateIfAsked();
    // The page of a participant token is for a guest: as the wallet's device, it would ring for calls that it does not show.
    const isForGuest = location.pathname === pagePaths.join[0];
    const kept = isForGuest ? null : recall();
    const isBack = location.pathname === returnPath;
    const kind = kept?.who.kind ?? 'provider';
    this.store = new Store<SessionState>(
      kept || isBack ? { phase: 'signingIn', kind, restoring: true } : { phase: 'signedOut', problem: null },
    );
    const follow = ({ storageArea, key }: StorageEvent) => {
      // The key is null if everything was deleted.
      if (storageArea === localStorage && (key === rememberedKey || key === null)) void this.#followTabs();
    };
    if (!isForGuest) window.addEventListener('storage', follow);
    if (isBack) void this.#comeBack(kept);
    else if (kept) void this.#signIn(kept.who.kind, () => this.#restore(kept), true);
  }

  /** Signs in with a new temporary wallet, which is kept in this tab only. */
  async tryOut(): Promise<void> {
    await this.#signIn('throwaway', async () => {
      const { generatePrivateKey } = await import('./openClient.ts');
      return this.#openThrowaway(generatePrivateKey());
    });
  }

  async connect(wallet: BrowserWallet): Promise<void> {
    await this.#signIn('wallet', async () => {
      const storage = storageFor('wallet');
      const client = await this.#newClient(storage);
      const session: Session = await client.signIn(wallet.provider);
      const who: Remembered = { kind: 'wallet', changedAt: Date.now() };
      return { client, who, storage, address: session.walletId };
    });
  }

  /** The identity provider of this server; null if it has none. */
  provider(): Promise<Provider | null> {
    this.#provider ??= import('./openClient.ts')
      .then(async ({ newClient }) => (await newClient()).provider())
      .catch((error: unknown) => {
        this.#provider = null;
        throw error;
      });
    return this.#provider;
  }

  /** Links a browser wallet to the signed-in account, so that the account can make calls. */
  async linkWallet(wallet: BrowserWallet): Promise<void> {
    const [client, kept] = [this.#client, this.#kept];
    if (!client || !kept || kept.who.kind === 'throwaway') return;
    await client.linkWallet(wallet.provider);
    // The SDK has stored the session, which now has the wallet. A new client reads it from there, and so do the other tabs.
    const next = await this.#newClient(kept.storage);
    const who = { ...kept.who, changedAt: Date.now() };
    await this.#enter({ ...kept, who, client: next, address: addressOf(next) });
  }

  /**
   * Requests the deletion of the account. The wallet signs for it.
   * @param wallet the browser wallet to ask, unless a temporary wallet is signed in
   */
  async deleteAccount(wallet: BrowserWallet | null): Promise<void> {
    const key = this.temporaryKey();
    const { privateKeyToAccount } = await import('./openClient.ts');
    const signer = key ? privateKeyToAccount(key as `0x${string}`) : wallet?.provider;
    if (this.#client && signer) await this.#client.deleteAccount(signer);
  }

  /** Unlinks a sign-in method from the account. If this tab signed in with that method, the tab is signed out. */
  async unlink(id: string): Promise<void> {
    const [client, kept] = [this.#client, this.#kept];
    if (!client) return;
    // An unlinked temporary wallet must not sign in again automatically, because that would create another account.
    if (id === 'wallet' && kept) this.#kept = { ...kept, who: { kind: 'wallet' } };
    try {
      await client.account.unlinkIdentity(id);
    } catch (error) {
      this.#kept = kept;
      throw error;
    }
    await client.account.get().catch((error: unknown) => {
      if (client === this.#client && isSignedOut(error)) this.#leave(endedByUnlinking);
    });
  }

  /** Ends the call on this page before the user is signed out. @returns a function that undoes this */
  beforeSignOut(hangUp: () => Promise<void>): () => void {
    this.#hangUp = hangUp;
    return () => {
      if (this.#hangUp === hangUp) this.#hangUp = async () => {};
    };
  }

  /** The private key of the temporary wallet that is signed in; null for other accounts. */
  temporaryKey(): string | null {
    const who = this.#kept?.who;
    return who?.kind === 'throwaway' ? who.privateKey : null;
  }

  async signOut(): Promise<void> {
    await this.#hangUp();
    const client = this.#client;
    this.#leave(null);
    // The server ends the session if it can be reached. The browser has deleted it in any case.
    await client?.signOut().catch(() => undefined);
  }

  async #signIn(kind: Remembered['kind'], open: () => Promise<Opening>, restoring = false): Promise<void> {
    this.store.set({ phase: 'signingIn', kind, restoring });
    try {
      await this.#enter(await open());
    } catch (error) {
      // Another tab has signed in meanwhile, and this one shares its session, as if it had not tried.
      if (!restoring && this.#storage === localStorage && recall()) return this.resume();
      const problem = restoring ? explain(error) : explainSignIn(error);
      // Only this tab has the key of a temporary wallet. Neither a short outage nor a failed sign-in with another identity may delete it.
      const keep = restoring ? problem.canRetry : recall()?.who.kind === 'throwaway';
      this.#leave(problem, { keep });
    }
  }

  /** Signs in again with the identity that this tab remembers, for example after an outage of the server. */
  async resume(): Promise<void> {
    const kept = recall();
    if (kept) await this.#signIn(kept.who.kind, () => this.#restore(kept), true);
    else this.#leave(null);
  }

  /** Another tab has signed in or out, or linked a wallet. */
  async #followTabs(): Promise<void> {
    const { phase } = this.store.get();
    if (isSeparate() || phase === 'signingIn') return;
    const isSame = JSON.stringify(recall()?.who) === JSON.stringify(this.#kept?.who);
    if (phase === 'signedIn' && isSame) return;
    await this.#hangUp().catch(() => undefined);
    // Shows the sign-in page if the browser is signed out now.
    await this.resume();
  }

  async #restore(kept: Kept): Promise<Opening> {
    const { who, storage } = kept;
    if (who.kind === 'throwaway') return this.#openThrowaway(who.privateKey);
    const client = await this.#newClient(storage);
    // The SDK renews an expired session. If there is no session any more, the user has to sign in again.
    if (!client.session)
      throw new ParleyError('AUTHENTICATION_REQUIRED', 'The session has ended. Sign in again.');
    return { ...kept, client, address: addressOf(client) };
  }

  /**
   * Handles the return from the provider's pages: signs in, links the identity to the account that this tab is signed in to, or has that
   * account deleted.
   */
  async #comeBack(kept: Kept | null): Promise<void> {
    let failure: unknown;
    let returned: Returned | null = null;
    try {
      const provider = await this.provider();
      const { returnFromProvider } = await import('../provider/providerFlow.ts');
      returned = provider && (await returnFromProvider(provider));
    } catch (error) {
      failure = error;
    }
    // The answer in the URL can be used only once.
    history.replaceState(null, '', returned?.returnTo ?? '/');
    const { token, purpose } = returned ?? {};
    if (token && purpose === 'signIn') return this.#signIn('provider', () => this.#openByProvider(token));
    if (!kept) return this.#leave(failure ? explainProvider(failure) : null);
    const restoreAndUse = async () => {
      const opening = await this.#restore(kept);
      const { account } = opening.client;
      // Before any page that shows the identities, or the deletion, can appear.
      if (token) {
        const proof = { type: 'oidc', token } as const;
        const used = purpose === 'delete' ? account.delete(proof) : account.linkIdentity(proof);
        await used.catch(this.#report);
      }
      return opening;
    };
    await this.#signIn(kept.who.kind, restoreAndUse, true);
    if (failure) this.#report(failure);
  }

  async #openByProvider(token: string): Promise<Opening> {
    const storage = storageFor('provider');
    const client = await this.#newClient(storage);
    const { walletId: address } = await client.signInWithProvider(token);
    return { client, who: { kind: 'provider', changedAt: Date.now() }, storage, address };
  }

  async #openThrowaway(privateKey: `0x${string}`): Promise<Opening> {
    const { privateKeyToAccount } = await import('./openClient.ts');
    const storage = sessionStorage;
    const client = await this.#newClient(storage);
    const session = await client.signIn(privateKeyToAccount(privateKey));
    return { client, who: { kind: 'throwaway', privateKey }, storage, address: session.walletId };
  }

  async #newClient(storage: Storage): Promise<Parley> {
    const { newClient } = await import('./openClient.ts');
    const client = await newClient(storage);
    this.#storage = storage;
    const previous = this.#client;
    this.#client = client;
    // Closed only after the new client has taken its place, because closing the current client would sign the user out.
    previous?.close();
    return client;
  }

  async #enter({ client, who, storage, address }: Opening): Promise<void> {
    const queries = createQueries(client);
    const queryClient = createQueryClient();
    const wallet = address === null ? null : this.#walletData(client, address);
    followEvents(client, queryClient);
    client.on('connection:changed', (change) => this.#follow(client, change));
    // The first request checks whether a stored token is still valid. The keys are loaded here so that the first page does not jump.
    await Promise.all([
      address ? client.calls.getActive() : queryClient.fetchQuery(queries.account),
      queryClient.prefetchInfiniteQuery(queries.keys),
    ]);
    this.#kept = { who, storage };
    remember(this.#kept);
    this.#signedInAt = Date.now();
    const connection = 'connected';
    const { kind } = who;
    const data = { queries, queryClient, openOrders: new OpenOrders(), wallet };
    this.store.set({ phase: 'signedIn', client, address, kind, connection, ...data });
    void wallet?.push.resume().catch(() => undefined);
  }

  #walletData(client: Parley, address: string): WalletData {
    return {
      push: new PushRegistration(client, address),
      leavingVoicemailFor: new Store<string | null>(null),
    };
  }

  #follow(client: Parley, { state, error }: ParleyEvents['connection:changed']): void {
    const session = this.store.get();
    if (client !== this.#client || session.phase !== 'signedIn') return;
    if (state === 'closed') return this.#refused(error);
    const connection: Connection = state === 'connected' ? 'connected' : 'reconnecting';
    if (connection === session.connection) return;
    this.store.set({ ...session, connection });
    if (connection !== 'connected') return;
    void session.queryClient.invalidateQueries();
  }

  /** Called when the server has ended the session. A temporary wallet signs in again automatically; other users are signed out. */
  #refused(error: ParleyError | undefined): void {
    const justSignedIn = Date.now() - this.#signedInAt < 10_000;
    if (this.#kept?.who.kind === 'throwaway' && !justSignedIn) return void this.resume();
    this.#leave(error ? explain(error) : null);
  }

  #leave(problem: Problem | null, options: { keep?: boolean } = {}): void {
    if (!options.keep) forget(this.#storage);
    const client = this.#client;
    this.#client = this.#kept = this.#storage = null;
    // This also closes the client's media, such as an open camera.
    client?.close();
    this.store.set({ phase: 'signedOut', problem });
  }
}

/** The session's wallet. By the SDK's type every session has one, but the session of a provider's user may have none. */
const addressOf = ({ session }: Parley): string | null => session?.walletId ?? null;

const isSignedOut = (error: unknown) =>
  error instanceof ParleyError && error.code === 'AUTHENTICATION_REQUIRED';

const endedByUnlinking: Problem = {
  code: 'AUTHENTICATION_REQUIRED',
  title: 'You were signed out',
  advice: 'You unlinked the method that you signed in with. Sign in with a method that is still linked.',
  canRetry: false,
};
