import { getAddress } from 'viem/utils';
import { parseSiweMessage } from 'viem/siwe';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { Origins } from '../origins.ts';
import type { Audience } from './tables.ts';

/** What an EIP-4361 message says, once every part of it has been looked at. */
export interface SiweClaims {
  nonce: string;
  nonceExpiresAt: Date;
  chainId: number;
  network: Network;
}

interface Expectations {
  walletAddress: Address;
  audience: Audience;
  origins: Origins;
  nonceExpiry: (nonce: string) => Date | null;
}

const networkOf = new Map<number, Network>([
  [1, 'mainnet'],
  [11155111, 'testnet'],
]);
const clockSkewMs = 10 * 60_000;

const refuse = (message: string) =>
  new ParleyError('AUTHENTICATION_REQUIRED', message, { reason: 'invalid_token' });

/**
 * Everything about the message but the signature: viem's own check was seen to accept a wrong chain, a foreign uri and a future
 * issuedAt.
 * @throws ParleyError VALIDATION_ERROR for what is no such message, AUTHENTICATION_REQUIRED or ACCESS_DENIED for one we don't accept
 */
export function checkSiweMessage(text: string, expected: Expectations, now = Date.now()): SiweClaims {
  const message = parseSiweMessage(text);
  const { address, domain, uri, version, chainId, nonce, issuedAt } = message;
  if (!address || !domain || !uri || !version || chainId === undefined || !nonce || !issuedAt) {
    throw new ParleyError('VALIDATION_ERROR', 'message: this is not a complete EIP-4361 message.', {
      details: [{ path: 'message', code: 'invalid_message', message: 'not a complete EIP-4361 message' }],
    });
  }
  if (version !== '1') throw refuse('The message has another version of EIP-4361 than 1.');
  if (getAddress(address) !== expected.walletAddress) throw refuse('The message names another wallet.');
  checkOrigin(domain, uri, expected);
  const network = networkOf.get(chainId);
  if (!network) throw refuse(`Chain ${chainId} is not one this server knows.`);
  checkTimes(message, now);
  const nonceExpiresAt = expected.nonceExpiry(nonce);
  if (!nonceExpiresAt || nonceExpiresAt.getTime() < now)
    throw refuse('The nonce is unknown or has expired: ask for a new one.');
  return { nonce, nonceExpiresAt, chainId, network };
}

function checkOrigin(domain: string, uri: string, { origins, audience }: Expectations): void {
  const page = URL.canParse(uri) ? new URL(uri) : null;
  if (!page || page.host !== domain) throw refuse('The message’s domain and uri are not of one origin.');
  if (!origins.isAllowed(page.origin))
    throw refuse(`Pages of ${page.origin} may not sign in here: see ALLOWED_ORIGINS.`);
  if (audience === 'dashboard' && !origins.isOwn(page.origin)) {
    throw new ParleyError('ACCESS_DENIED', 'The dashboard signs in on its own pages only.');
  }
}

function checkTimes(message: ReturnType<typeof parseSiweMessage>, now: number): void {
  const { issuedAt, expirationTime, notBefore } = message;
  if (!issuedAt || !(Math.abs(issuedAt.getTime() - now) <= clockSkewMs)) {
    throw refuse(
      'The message was issued too long ago, or in the future: check the clock and sign a new one.',
    );
  }
  if (expirationTime && !(expirationTime.getTime() > now))
    throw refuse('The message has expired: sign a new one.');
  if (notBefore && !(notBefore.getTime() <= now)) throw refuse('The message is not valid yet.');
}
