import { createHmac } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { keyObjectOf, verifyJwt, type Keys } from '../../platform/keys.ts';
import { walletAddress } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';
import { isPrivate, type StreamRow } from './tables.ts';

/** How long a wallet's own token is valid. Watching must start within this time and may then go on for longer. */
const ownSeconds = 60 * 60;
/** How long a token that the host shares is valid. It reaches viewers by other means, which takes time. */
const sharedSeconds = 24 * 60 * 60;
const audience = 'parley stream viewer';

const claims = z.object({
  sub: z.string(),
  wallet: walletAddress.optional(),
  /** Only in a shared token: identifies the stream key at the time of creation. Resetting the key makes the token void. */
  key: z.string().optional(),
  /** Only in a token that a wallet got because the stream was open to everybody. It opens no private stream. */
  open: z.literal(true).optional(),
});

export interface ViewerClaims {
  /** Null in a shared token. */
  wallet: PartyId | null;
}

/** Tokens by which players without a session watch a stream, as a certain wallet or with the host's permission. */
export class ViewerTokens {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** @param isOpen whether the wallet gets it only because the stream is open to everybody: it is void once the stream is private */
  forWallet({ id }: StreamRow, wallet: PartyId, isOpen = false): { token: string; expiresAt: Date } {
    return this.#sign(id, { wallet, ...(isOpen ? { open: true } : {}) }, ownSeconds);
  }

  forAnybody(stream: StreamRow): { token: string; expiresAt: Date } {
    return this.#sign(stream.id, { key: markOf(stream) }, sharedSeconds);
  }

  /**
   * An id for a viewer without a wallet. It contains a hash of the viewer's network, so that the guests of one network can be counted
   * together. The network itself stays secret.
   */
  guest(subnets: readonly Subnet[]): string {
    const markOf = (subnet: Subnet | undefined) =>
      createHmac('sha256', this.#keys()[0]).update(`network ${subnet?.key}`).digest('hex').slice(0, 8);
    return `guest_${markOf(subnets.at(-1))}.${markOf(subnets[0])}_${randomBase62(24)}`;
  }

  /**
   * Returns null for a token that is forged, expired, void or of another stream. The viewer cannot tell which.
   * @param mayBeExpired for a player that was admitted with the token before it expired
   */
  read(stream: StreamRow, token: string, mayBeExpired = false): ViewerClaims | null {
    try {
      const verified = verifyJwt(this.#keys, token, {
        algorithms: ['HS256'],
        audience,
        ignoreExpiration: mayBeExpired,
      });
      const read = claims.parse(verified);
      const isForAnybody = read.key === markOf(stream);
      if (read.open && isPrivate(stream)) return null;
      const isValid = read.sub === stream.id && (read.wallet !== undefined || isForAnybody);
      return isValid ? { wallet: read.wallet ?? null } : null;
    } catch {
      return null;
    }
  }

  #sign(subject: string, content: object, seconds: number): { token: string; expiresAt: Date } {
    const now = Math.floor(Date.now() / 1_000);
    const token = jwt.sign({ ...content, iat: now }, keyObjectOf(this.#keys()[0]), {
      algorithm: 'HS256',
      subject,
      audience,
      expiresIn: seconds,
    });
    return { token, expiresAt: new Date((now + seconds) * 1_000) };
  }
}

/** A prefix of a hash reveals nothing about the key. */
const markOf = ({ keyHash }: StreamRow) => keyHash.slice(0, 16);
