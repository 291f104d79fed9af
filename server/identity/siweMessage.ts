import type { Audience } from '../http/Identity.ts';
import { getAddress } from 'viem/utils';
import type { EvmAddress } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { isLinkStatement, linkStatement } from '../../sdk/protocol/statements.ts';
import type { Chains } from '../chains/chains.ts';
import { originOf } from '../config/originOf.ts';
import type { Origins } from '../config/origins.ts';

/** What an EIP-4361 message says, once every part of it has been looked at. */
export interface SiweClaims {
  nonce: string;
  nonceExpiresAt: Date;
  chainId: number;
  network: Network;
}

interface Expectations {
  walletAddress: EvmAddress;
  audience: Audience;
  /** The account the wallet is to be linked to; null where it signs in. */
  linkTo: string | null;
  origins: Origins;
  chains: Pick<Chains, 'networkOf'>;
  nonceExpiry: (nonce: string) => Date | null;
}

const clockSkewMs = 10 * 60_000;

const refuse = (message: string) =>
  new ParleyError('AUTHENTICATION_REQUIRED', message, { reason: 'invalid_token' });

/**
 * Everything about the message but the signature: viem's own check was seen to accept a wrong chain, a foreign uri and a future
 * issuedAt.
 * @throws ParleyError VALIDATION_ERROR for what is no such message, AUTHENTICATION_REQUIRED or ACCESS_DENIED for one we don't accept
 */
export function checkSiweMessage(text: string, expected: Expectations, now = Date.now()): SiweClaims {
  const message = parse(text);
  if (message.version !== '1') throw refuse('The message has another version of EIP-4361 than 1.');
  if (getAddress(message.address) !== expected.walletAddress)
    throw refuse('The message names another wallet.');
  checkOrigin(message, expected);
  const network = expected.chains.networkOf(Number(message.chainId));
  if (!network) throw refuse(`Chain ${message.chainId} is not one this server knows.`);
  checkTimes(message, now);
  checkPurpose(message, expected);
  const nonceExpiresAt = expected.nonceExpiry(message.nonce);
  if (!nonceExpiresAt || nonceExpiresAt.getTime() < now)
    throw refuse('The nonce is unknown or has expired: ask for a new one.');
  return { nonce: message.nonce, nonceExpiresAt, chainId: Number(message.chainId), network };
}

interface Fields {
  scheme?: string;
  statement?: string;
  domain: string;
  address: string;
  uri: string;
  version: string;
  chainId: string;
  nonce: string;
  issuedAt: string;
  expirationTime?: string;
  notBefore?: string;
}

/**
 * The whole of a message, line by line. viem's parser finds its lines anywhere in the text, skips what it does not know, and
 * knows no [::1]: a message could say more to its reader than to us.
 */
const form = new RegExp(
  [
    '^(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]{0,30})://)?(?<domain>[^\\s/?#@]{1,260})',
    ' wants you to sign in with your Ethereum account:\\n(?<address>0x[0-9a-fA-F]{40})\\n',
    // A statement between two empty lines; without one some libraries leave one line empty, some two.
    '\\n(?:(?<statement>[^\\n]+)\\n\\n|\\n)?',
    'URI: (?<uri>\\S{1,2048})',
    '\\nVersion: (?<version>[0-9]{1,9})',
    '\\nChain ID: (?<chainId>[1-9][0-9]{0,14})',
    '\\nNonce: (?<nonce>[a-zA-Z0-9]{8,256})',
    '\\nIssued At: (?<issuedAt>\\S{1,40})',
    '(?:\\nExpiration Time: (?<expirationTime>\\S{1,40}))?',
    '(?:\\nNot Before: (?<notBefore>\\S{1,40}))?',
    '(?:\\nRequest ID: [^\\n]*)?',
    '(?:\\nResources:(?:\\n- \\S+)*)?$',
  ].join(''),
);

function parse(text: string): Fields {
  const found = form.exec(text)?.groups;
  if (found) return found as unknown as Fields;
  throw new ParleyError('VALIDATION_ERROR', 'message: this is not a complete EIP-4361 message.', {
    details: [{ path: 'message', code: 'invalid_message', message: 'not a complete EIP-4361 message' }],
  });
}

function checkOrigin({ scheme, domain, uri }: Fields, { origins, audience }: Expectations): void {
  const page = URL.canParse(uri) ? new URL(uri) : null;
  const isOne = page?.host === domain && (scheme === undefined || `${scheme}:` === page.protocol);
  if (!page || !isOne) throw refuse('The message’s domain and uri are not of one origin.');
  const origin = originOf(page);
  if (!origins.isAllowed(origin))
    throw refuse(`Pages of ${origin} may not sign in here: add it to the server’s ALLOWED_ORIGINS.`);
  if (audience === 'dashboard' && !origins.isOwn(origin)) {
    throw new ParleyError('ACCESS_DENIED', 'The dashboard signs in on its own pages only.');
  }
}

/** A signature for one purpose is no use for the other: the wallet's owner has read which one it is, and for which account. */
function checkPurpose({ statement = '' }: Fields, { linkTo }: Expectations): void {
  if (linkTo === null && isLinkStatement(statement))
    throw refuse('This message links a wallet to an account: it signs nobody in.');
  if (linkTo !== null && statement !== linkStatement(linkTo))
    throw refuse(`To link the wallet, the message’s statement has to be: ${linkStatement(linkTo)}`);
}

function checkTimes({ issuedAt, expirationTime, notBefore }: Fields, now: number): void {
  if (!(Math.abs(momentOf(issuedAt) - now) <= clockSkewMs)) {
    throw refuse(
      'The message was issued too long ago, or in the future: check the clock and sign a new one.',
    );
  }
  if (expirationTime !== undefined && !(momentOf(expirationTime) > now))
    throw refuse('The message has expired: sign a new one.');
  if (notBefore !== undefined && !(momentOf(notBefore) <= now)) throw refuse('The message is not valid yet.');
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** NaN, which no comparison accepts, for what is no moment. */
const momentOf = (text: string) => (rfc3339.test(text) ? Date.parse(text) : NaN);
