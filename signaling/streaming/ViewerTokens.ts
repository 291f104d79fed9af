import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { walletAddress, type Address } from '../../sdk/protocol/common.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';
import type { StreamRow } from './tables.ts';

/** Somebody begins to watch within this; whoever watches goes on. */
const ownSeconds = 60 * 60;
/** What a host gives away gets to others by post. */
const sharedSeconds = 24 * 60 * 60;
const audience = 'parley stream viewer';

const claims = z.object({
  sub: z.string(),
  wallet: walletAddress.optional(),
  /** Of a token for anybody: the key its host had then. A reset makes it void. */
  key: z.string().optional(),
});

export interface ViewerClaims {
  /** Null where it is for whoever holds it. */
  wallet: Address | null;
}

/** What players without a session show to watch a stream: whose access it is, or that its host lets in whoever has it. */
export class ViewerTokens {
  /** Not bytes: jsonwebtoken would take them for a public key first, each time. */
  readonly #secret: KeyObject;

  constructor(secret: Buffer) {
    this.#secret = createSecretKey(secret);
  }

  forWallet({ id }: StreamRow, wallet: Address): { token: string; expiresAt: Date } {
    return this.#sign(id, { wallet }, ownSeconds);
  }

  forAnybody(stream: StreamRow): { token: string; expiresAt: Date } {
    return this.#sign(stream.id, { key: markOf(stream) }, sharedSeconds);
  }

  /**
   * A name for somebody who is not signed in. It says from which network, so that its guests can be counted together; the
   * network itself stays secret.
   */
  guest(subnets: readonly Subnet[]): string {
    const markOf = (subnet: Subnet | undefined) =>
      createHmac('sha256', this.#secret).update(`network ${subnet?.key}`).digest('hex').slice(0, 8);
    return `guest_${markOf(subnets.at(-1))}.${markOf(subnets[0])}_${randomBase62(24)}`;
  }

  /** Null for what is forged, expired, void or of another stream: the same to whoever shows it. */
  read(stream: StreamRow, token: string): ViewerClaims | null {
    try {
      const read = claims.parse(jwt.verify(token, this.#secret, { algorithms: ['HS256'], audience }));
      const isForAnybody = read.key === markOf(stream);
      const isValid = read.sub === stream.id && (read.wallet !== undefined || isForAnybody);
      return isValid ? { wallet: read.wallet ?? null } : null;
    } catch {
      return null;
    }
  }

  #sign(subject: string, content: object, seconds: number): { token: string; expiresAt: Date } {
    const now = Math.floor(Date.now() / 1_000);
    const token = jwt.sign({ ...content, iat: now }, this.#secret, {
      algorithm: 'HS256',
      subject,
      audience,
      expiresIn: seconds,
    });
    return { token, expiresAt: new Date((now + seconds) * 1_000) };
  }
}

/** A hash of a hash’s beginning gives nothing away. */
const markOf = ({ keyHash }: StreamRow) => keyHash.slice(0, 16);
