import type { Audience } from '../http/Identity.ts';
import { getAddress } from 'viem/utils';
import type { EvmAddress } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { isOtherPurpose } from '../../sdk/protocol/statements.ts';
import type { Chains } from '../chains/chains.ts';
import { originOf } from '../config/originOf.ts';
import type { Origins } from '../config/origins.ts';

/** The content of a verified EIP-4361 message. */
export interface SiweClaims {
  nonce: string;
  nonceExpiresAt: Date;
  chainId: number;
  network: Network;
}

interface Expectations {
  walletAddress: EvmAddress;
  audience: Audience;
  /** The statement that the message must have, if it is for something else than signing in; null for a sign-in. */
  statement: string | null;
  origins: Origins;
  chains: Pick<Chains, 'networkOf'>;
  nonceExpiry: (nonce: string) => Date | null;
}

const clockSkewMs = 10 * 60_000;

const refuse = (message: string) => new ParleyError('AUTHENTICATION_REQUIRED', message);

/**
 * Checks everything in the message except the signature. viem's own check is not sufficient: it accepted a wrong chain, a foreign uri and
 * an issuedAt in the future.
 * @throws ParleyError VALIDATION_ERROR if the text is not an EIP-4361 message, AUTHENTICATION_REQUIRED or ACCESS_DENIED if the message is
 *   refused
 */
export function checkSiweMessage(text: string, expected: Expectations, now = Date.now()): SiweClaims {
  const message = parse(text);
  if (message.version !== '1') throw refuse('The message does not have version 1 of EIP-4361.');
  if (getAddress(message.address) !== expected.walletAddress)
    throw refuse('The message names another wallet.');
  checkOrigin(message, expected);
  const network = expected.chains.networkOf(Number(message.chainId));
  if (!network) throw refuse(`This server does not know chain ${message.chainId}. Use another chain.`);
  checkTimes(message, now);
  checkPurpose(message, expected);
  const nonceExpiresAt = expected.nonceExpiry(message.nonce);
  if (!nonceExpiresAt || nonceExpiresAt.getTime() < now)
    throw refuse('The nonce is unknown or has expired. Request a new one.');
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
 * Matches a whole message, line by line. viem's parser does not know [::1]. It also finds the lines anywhere in the text and skips unknown
 * text, so a message could contain text that the user reads but the server ignores.
 */
const form = new RegExp(
  [
    '^(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]{0,30})://)?(?<domain>[^\\s/?#@]{1,260})',
    ' wants you to sign in with your Ethereum account:\\n(?<address>0x[0-9a-fA-F]{40})\\n',
    // The statement is between two empty lines. If there is no statement, libraries write one or two empty lines.
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
  throw new ParleyError('VALIDATION_ERROR', 'message: not a complete EIP-4361 message.', {
    details: [{ path: 'message', code: 'invalid_message', message: 'not a complete EIP-4361 message' }],
  });
}

function checkOrigin({ scheme, domain, uri }: Fields, { origins, audience }: Expectations): void {
  const page = URL.canParse(uri) ? new URL(uri) : null;
  const isOne = page?.host === domain && (scheme === undefined || `${scheme}:` === page.protocol);
  if (!page || !isOne) throw refuse('The message’s domain and uri do not have the same origin.');
  const origin = originOf(page);
  if (!origins.isAllowed(origin))
    throw refuse(
      `Pages of ${origin} may not sign in here. The operator can add this origin to ALLOWED_ORIGINS.`,
    );
  if (audience === 'dashboard' && !origins.isOwn(origin)) {
    throw new ParleyError(
      'ACCESS_DENIED',
      'Dashboard sessions can only be opened from the server’s own pages.',
    );
  }
}

/** Checks that the message is used only for the purpose and account in its statement, which is what the wallet's owner has read. */
function checkPurpose({ statement = '' }: Fields, { statement: needed }: Expectations): void {
  if (needed === null && isOtherPurpose(statement))
    throw refuse('This message links a wallet to an account, or deletes one. It cannot be used to sign in.');
  if (needed !== null && statement !== needed)
    throw refuse(`The statement of the message must be: ${needed}`);
}

function checkTimes({ issuedAt, expirationTime, notBefore }: Fields, now: number): void {
  if (!(Math.abs(momentOf(issuedAt) - now) <= clockSkewMs)) {
    throw refuse(
      'The message was issued too long ago or in the future. Check the clock of the device and sign a new message.',
    );
  }
  if (expirationTime !== undefined && !(momentOf(expirationTime) > now))
    throw refuse('The message has expired. Sign a new one.');
  if (notBefore !== undefined && !(momentOf(notBefore) <= now))
    throw refuse('The message is not valid yet. Sign a new one.');
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** The time in milliseconds; NaN for invalid text. Every comparison with NaN is false. */
const momentOf = (text: string) => (rfc3339.test(text) ? Date.parse(text) : NaN);
