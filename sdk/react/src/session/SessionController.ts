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
  /** Whether the user can sign in: not if the client has a token of the app (`participantToken`, `getToken`, `sessionToken`). */
  canSignIn: boolean;
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
      if (state === 'connected') void this.#follow();
      // While somebody signs in, the sign-in itself says what is wrong.
      if (state !== 'closed' || this.store.get().phase === 'signingIn') return;
      const isGuest = this.store.get().guest !== null;
      const problem = error ? explain(error, isGuest ? this.#guestWords : this.#words) : null;
      this.store.set(signedOut(problem, this.store.get().canSignIn));
    });
  }

  /** The signed-in wallet; null while it is not known, and for a guest with a participant token. */
  get address(): string | null {
    return this.#client.session?.walletId ?? this.store.get().address;
  }

  /** Signs in. Failures are in the state. */
  async signIn(signer: Signer): Promise<void> {
    await this.#signIn(() => signer);
  }

  /** Signs in with a temporary wallet, which lives as long as this tab. */
  async signInAsGuest(): Promise<void> {
    await this.#signIn(async () => (await temporaryWallet(temporaryKey, true)) as Signer);
  }

  async #signIn(find: () => Signer | Promise<Signer>): Promise<void> {
    if (this.store.get().phase === 'signingIn') return;
    await this.#enter(async () => signedIn((await this.#client.signIn(await find())).walletId));
  }

  /**
   * Reads who the client is, or signs in again with the temporary wallet of this tab, if there is one. Called when a component needs the
   * session; only the first call has an effect.
   */
  async resume(): Promise<void> {
    if (this.#resumed || this.store.get().phase === 'signedIn') return;
    this.#resumed = true;
    try {
      const found = await this.#find();
      if (found) return this.#take(found);
    } catch (error) {
      // Only a token of the app needs the server to say whose it is.
      return this.store.set(signedOut(explain(error, this.#guestWords), false));
    }
    await this.#enter(async () => {
      const wallet = await temporaryWallet(temporaryKey, false);
      return wallet ? signedIn((await this.#client.signIn(wallet)).walletId) : signedOut(null);
    });
  }

  /** Reads again who the client is, after a failure that may have passed. */
  async retry(): Promise<void> {
    if (this.store.get().phase !== 'signedOut') return;
    this.store.set({ ...signingIn, canSignIn: this.store.get().canSignIn });
    this.#resumed = false;
    await this.resume();
  }

  async signOut(): Promise<void> {
    tabStorage()?.removeItem(temporaryKey);
    await this.#client.signOut().catch(this.#services.report);
    this.store.set(signedOut(null, this.store.get().canSignIn));
  }

  /** Who the client is, by its session or by the token that the app has given it; null if it has neither. */
  async #find(): Promise<SessionState | null> {
    const session = await this.#client.loadSession();
    if (session) return signedIn(session.walletId);
    const guest = await this.#client.guest();
    if (guest) return { ...signedIn(null), guest, canSignIn: false };
    const wallet = await this.#client.wallet();
    return wallet && { ...signedIn(wallet), canSignIn: false };
  }

  /** Takes over as whom the client has connected: the app may have signed it in, or the first attempt may have taken too long. */
  async #follow(): Promise<void> {
    // If this connection is lost before the server has named the wallet, the next one does.
    const found = await this.#find().catch(() => null);
    if (found) this.#take(found);
  }

  /** A wallet or guest that is signed in already stays the same, because components would open their rooms again. */
  #take(found: SessionState): void {
    const { phase, address, guest } = this.store.get();
    const isSame = address === found.address && guest?.identity === found.guest?.identity;
    if (phase !== 'signedIn' || !isSame) this.store.set(found);
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

const signedOut = (problem: Problem | null, canSignIn = true): SessionState => ({
  phase: 'signedOut',
  address: null,
  guest: null,
  canSignIn,
  problem,
});

const signedIn = (address: string | null): SessionState => ({
  ...signedOut(null),
  phase: 'signedIn',
  address,
});

const signingIn: SessionState = { ...signedOut(null), phase: 'signingIn' };

/** The session of a client, which its components share. */
export const createSession = (services: Services) => new SessionController(services);
