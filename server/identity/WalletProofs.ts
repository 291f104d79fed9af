import type { Audience } from '../http/Identity.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Chains } from '../chains/chains.ts';
import type { Origins } from '../config/origins.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { Nonces } from './Nonces.ts';
import { checkSignature, type Signed, type Signer } from './signature.ts';
import { checkSiweMessage, type SiweClaims } from './siweMessage.ts';

/** An EIP-4361 message, signed by a wallet. */
export type SignedByWallet = Omit<Signed, 'chainId'>;

/** A verified message. It proves something only after its nonce has been used up. */
export type WalletProof = Signer & SiweClaims;

/** Verifies messages signed by wallets, for signing in and for linking a wallet to an account. */
export class WalletProofs {
  readonly #deps: { origins: Origins; chains: Chains };
  readonly #nonces: Nonces;

  constructor({ secrets, ...deps }: { secrets: Secrets; origins: Origins; chains: Chains }) {
    this.#deps = deps;
    this.#nonces = new Nonces(secrets.keys('nonces'));
  }

  issueNonce(): { nonce: string; expiresAt: string } {
    const { nonce, expiresAt } = this.#nonces.issue();
    return { nonce, expiresAt: toIso(expiresAt) };
  }

  /**
   * Checks the message and then the signature. This does not use up the nonce.
   * @param statement what the message must say, if it is for something else than signing in; null for a sign-in
   */
  async check(
    { walletAddress, signature, message }: SignedByWallet,
    audience: Audience,
    statement: string | null = null,
  ): Promise<WalletProof> {
    const { origins, chains } = this.#deps;
    const nonceExpiry = (nonce: string) => this.#nonces.expiryOf(nonce);
    const proof = checkSiweMessage(message, {
      walletAddress,
      audience,
      statement,
      origins,
      chains,
      nonceExpiry,
    });
    const signer = await checkSignature(
      { walletAddress, message, signature, chainId: proof.chainId },
      chains,
    );
    return { ...proof, ...signer };
  }

  /**
   * Uses up the nonce in the transaction of the sign-in or link. @throws ParleyError AUTHENTICATION_REQUIRED if the nonce was already used
   */
  async use(tx: Executor, { nonce, nonceExpiresAt }: WalletProof): Promise<void> {
    if (await this.#nonces.use(tx, nonce, nonceExpiresAt)) return;
    throw new ParleyError('AUTHENTICATION_REQUIRED', 'The nonce was used before. Request a new one.');
  }
}
