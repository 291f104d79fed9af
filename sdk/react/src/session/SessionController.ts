import type { Guest, Parley, Signer } from '@parley/sdk';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { explain, explainSignIn, type Problem } from '../problems/explain.ts';
import { tabStorage, temporaryWallet } from './temporaryWallet.ts';

export interface SessionState {
  phase: 'signedOut' | 'signingIn' | 'signedIn';
  /** The wallet's identity; null while signed out, and for a guest with a participant token. */
  address: string | null;
  /** What the participant token says; null for a wallet. */
  guest: Guest | null;
  /** Why the user is not signed in. */
  problem: Problem | null;
}

const temporaryKey = 'parley.temporaryWallet';

/** The session of the provider's client. */
export class SessionController {
  readonly store = new Store<SessionState>(signingIn);
  readonly #services: Services;
  readonly #client: Parley;
  #resumed = false;

  constructor(services: Services) {
    this.#services = services;
    this.#client = services.client;
    const { session } = this.#client;
    // Without a session, resume() finds out whether there can be one.
    if (session) this.store.set(signedIn(session.walletId));
    this.#client.on('connection:changed', ({ state, error }) => {
      if (state !== 'closed') return;
      const isGuest = this.store.get().guest !== null;
      this.store.set(signedOut(error ? explain(error, isGuest ? this.#guestWords : this.#words) : null));
    });
  }

  /** Signs in. Failures are in the state. */
  async signIn(signer: Signer): Promise<void> {
    if (this.store.get().phase === 'signingIn') return;
    await this.#enter(async () => signedIn((await this.#client.signIn(signer)).walletId));
  }

  /** Signs in with a temporary wallet, which lives as long as this tab. */
  async signInAsGuest(): Promise<void> {
    const wallet = await temporaryWallet(temporaryKey, true);
    if (wallet) await this.signIn(wallet);
  }

  /**
   * Reads the participant token of the client, or signs in again with the temporary wallet of this tab, if there is one. Called when a
   * component needs the session; only the first call has an effect.
   */
  async resume(): Promise<void> {
    if (this.#resumed || this.#client.session) return;
    this.#resumed = true;
    try {
      const guest = await this.#client.guest();
      if (guest) return this.store.set({ ...signedIn(null), guest });
    } catch (error) {
      return this.store.set(signedOut(explain(error, this.#guestWords)));
    }
    await this.#enter(async () => {
      const wallet = await temporaryWallet(temporaryKey, false);
      return wallet ? signedIn((await this.#client.signIn(wallet)).walletId) : signedOut(null);
    });
  }

  async signOut(): Promise<void> {
    tabStorage()?.removeItem(temporaryKey);
    await this.#client.signOut().catch(this.#services.report);
    this.store.set(signedOut(null));
  }

  async #enter(enter: () => Promise<SessionState>): Promise<void> {
    this.store.set(signingIn);
    try {
      this.store.set(await enter());
    } catch (error) {
      this.store.set(signedOut(explainSignIn(error, this.#words)));
    }
  }

  get #guestWords() {
    return { ...this.#words, ...this.#services.words.roomProblems };
  }

  get #words() {
    return this.#services.words.problems;
  }
}

const signedOut = (problem: Problem | null): SessionState => ({
  phase: 'signedOut',
  address: null,
  guest: null,
  problem,
});

const signedIn = (address: string | null): SessionState => ({
  ...signedOut(null),
  phase: 'signedIn',
  address,
});

const signingIn: SessionState = { ...signedOut(null), phase: 'signingIn' };
