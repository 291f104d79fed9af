import type { Audience } from '../http/Identity.ts';
import fc from 'fast-check';
import { getAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { describe, expect, it } from 'vitest';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { createChains } from '../chains/chains.ts';
import { readConfig } from '../config/config.ts';
import { createOrigins } from '../config/origins.ts';
import { Nonces } from './Nonces.ts';
import { checkSiweMessage } from './siweMessage.ts';
import { onlyKey } from '../../platform/keys.ts';

const walletAddress = getAddress('0xa0cf798816d4b9b9866b5330eea46a18382f251e');
const now = Date.parse('2026-11-20T12:00:00.000Z');
const minutes = 60_000;
const at = (offset: number) => new Date(now + offset).toISOString();
const origins = createOrigins(
  readConfig({
    PORT: '3000',
    ALLOWED_ORIGINS: 'https://app.example,https://other.example:8443,capacitor://localhost,app://parley',
  }),
);
const chains = createChains(readConfig({ CHAINS_MAINNET: '137=http://127.0.0.1:1' }));
const nonces = new Nonces(onlyKey(Buffer.alloc(32, 1)));
const { nonce } = nonces.issue(now);

const fields = {
  origin: 'localhost:3000',
  address: walletAddress as string,
  statement: 'Sign in.\n\n' as string,
  uri: 'http://localhost:3000',
  version: '1',
  chainId: '1',
  nonce,
  issuedAt: at(0),
  end: '',
};

const write = (over: Partial<typeof fields> = {}) => {
  const all = { ...fields, ...over };
  return `${all.origin} wants you to sign in with your Ethereum account:
${all.address}

${all.statement}URI: ${all.uri}
Version: ${all.version}
Chain ID: ${all.chainId}
Nonce: ${all.nonce}
Issued At: ${all.issuedAt}${all.end}`;
};

const check = (text: string, audience: Audience = 'app', when = now) =>
  checkSiweMessage(
    text,
    {
      walletAddress,
      audience,
      statement: null,
      origins,
      chains,
      nonceExpiry: (given) => nonces.expiryOf(given),
    },
    when,
  );

const outcome = (text: string, audience?: Audience, when?: number) => {
  try {
    check(text, audience, when);
    return 'accepted';
  } catch (error) {
    return error instanceof ParleyError ? error.code : error;
  }
};

describe('accepts', () => {
  it.each<[string, Partial<typeof fields>]>([
    ['a plain message', {}],
    ['127.0.0.1 in development', { origin: '127.0.0.1:3000', uri: 'http://127.0.0.1:3000' }],
    ['[::1] in development', { origin: '[::1]:3000', uri: 'http://[::1]:3000' }],
    ['an allowed origin', { origin: 'app.example', uri: 'https://app.example/login?from=mail' }],
    ['an allowed origin with a port', { origin: 'other.example:8443', uri: 'https://other.example:8443' }],
    ['an app shell', { origin: 'localhost', uri: 'capacitor://localhost' }],
    ['an app shell with its scheme', { origin: 'app://parley', uri: 'app://parley' }],
    ['a page of this machine', { origin: 'localhost:5173', uri: 'http://localhost:5173' }],
    ['a scheme before the domain', { origin: 'https://app.example', uri: 'https://app.example' }],
    ['no statement, two empty lines', { statement: '\n' }],
    ['no statement, one empty line', { statement: '' }],
    ['a statement that looks like a field', { statement: 'URI: https://evil.example\n\n' }],
    ['lower case', { address: walletAddress.toLowerCase() }],
    ['ten minutes ago', { issuedAt: at(-10 * minutes) }],
    ['in ten minutes', { issuedAt: at(10 * minutes) }],
    ['another time zone', { issuedAt: '2026-11-20T14:00:00+02:00' }],
    ['an expiry in the future', { end: `\nExpiration Time: ${at(1)}` }],
    ['a start in the past', { end: `\nNot Before: ${at(0)}` }],
    [
      'all optional fields',
      {
        end: `\nExpiration Time: ${at(1)}\nNot Before: ${at(0)}\nRequest ID: r 1\nResources:\n- https://x.example\n- ipfs://y`,
      },
    ],
    ['empty resources', { end: '\nRequest ID: \nResources:' }],
  ])('%s', (_what, over) => {
    expect(outcome(write(over))).toBe('accepted');
  });

  it('a message that viem has written', () => {
    const message = {
      domain: 'localhost:3000',
      uri: fields.uri,
      version: '1',
      address: walletAddress,
      nonce,
    } as const;
    const text = createSiweMessage({ ...message, chainId: 1, issuedAt: new Date(now), statement: 'Hello.' });
    expect(outcome(text)).toBe('accepted');
    expect(outcome(createSiweMessage({ ...message, chainId: 1, issuedAt: new Date(now) }))).toBe('accepted');
  });

  it('chains of both networks', () => {
    expect(check(write())).toMatchObject({ chainId: 1, network: 'mainnet', nonce });
    expect(check(write({ chainId: '11155111' }))).toMatchObject({ chainId: 11155111, network: 'testnet' });
    expect(check(write({ chainId: '137' }))).toMatchObject({ chainId: 137, network: 'mainnet' });
  });
});

describe('refuses with AUTHENTICATION_REQUIRED', () => {
  it.each<[string, Partial<typeof fields>]>([
    ['another version', { version: '2' }],
    ['another wallet', { address: '0x00000000000000000000000000000000000000aa' }],
    ['a foreign domain', { origin: 'evil.example', uri: 'https://evil.example' }],
    ['a foreign uri under our domain', { uri: 'https://evil.example' }],
    ['our uri under a foreign domain', { origin: 'evil.example' }],
    ['another port', { origin: 'app.example:444', uri: 'https://app.example:444' }],
    ['another shell', { origin: 'localhost', uri: 'ionic://localhost' }],
    ['another shell’s host', { origin: 'evil', uri: 'app://evil' }],
    ['a shell’s domain with a foreign uri', { origin: 'parley', uri: 'app://evil' }],
    ['a page without an origin', { origin: 'localhost', uri: 'data:localhost' }],
    ['another scheme', { origin: 'app.example', uri: 'http://app.example' }],
    ['a scheme that differs from the uri’s', { origin: 'http://app.example', uri: 'https://app.example' }],
    ['our domain as a user name', { uri: 'https://localhost:3000@evil.example' }],
    ['our domain as a prefix', { origin: 'app.example.evil', uri: 'https://app.example.evil' }],
    ['an invalid uri', { uri: 'localhost' }],
    ['a uri without a host', { uri: 'javascript:alert(1)' }],
    ['an unknown chain', { chainId: '5' }],
    ['issued more than ten minutes ago', { issuedAt: at(-10 * minutes - 1) }],
    ['issued more than ten minutes ahead', { issuedAt: at(10 * minutes + 1) }],
    ['an invalid time of issue', { issuedAt: 'now' }],
    ['a date that does not exist', { issuedAt: '2026-13-41T00:00:00Z' }],
    ['only a year', { issuedAt: '2026' }],
    ['an expiry that is now', { end: `\nExpiration Time: ${at(0)}` }],
    ['an invalid expiry', { end: '\nExpiration Time: never' }],
    ['a start in the future', { end: `\nNot Before: ${at(1)}` }],
    ['an invalid start', { end: '\nNot Before: soon' }],
    ['an unknown nonce', { nonce: 'a'.repeat(nonce.length) }],
    ['a short nonce', { nonce: '12345678' }],
    ['a forged expiry', { nonce: `${nonce.slice(0, 16)}zzzzzzzzz${nonce.slice(25)}` }],
    ['a nonce of another server', { nonce: new Nonces(onlyKey(Buffer.alloc(32, 2))).issue(now).nonce }],
  ])('%s', (_what, over) => {
    expect(outcome(write(over))).toBe('AUTHENTICATION_REQUIRED');
  });

  it('a nonce after five minutes', () => {
    expect(outcome(write(), 'app', now + 5 * minutes)).toBe('accepted');
    expect(outcome(write(), 'app', now + 5 * minutes + 1)).toBe('AUTHENTICATION_REQUIRED');
  });
});

describe('refuses with VALIDATION_ERROR', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['other text', 'I agree.'],
    ['text before the message', `Hello. ${write()}`],
    ['a line before the message', `\n${write()}`],
    ['a line after the message', `${write()}\nand more`],
    ['an empty line after the message', `${write()}\n`],
    ['fields in another order', write({ end: `\nNot Before: ${at(0)}\nExpiration Time: ${at(-1)}` })],
    ['a field twice', write({ end: `\nExpiration Time: ${at(1)}\nExpiration Time: ${at(-1)}` })],
    ['an unknown field', write({ end: '\nExpires: never' })],
    ['a statement of two lines', write({ statement: 'One.\nTwo.\n\n' })],
    ['a chain id with a leading zero', write({ chainId: '01' })],
    ['a chain id with too many digits', write({ chainId: '9'.repeat(16) })],
    ['no nonce', write().replace(/\nNonce: .*/, '')],
    ['a nonce that is too short', write({ nonce: '1234567' })],
    ['an address that is too short', write({ address: '0x12' })],
    ['Windows line endings', write().replaceAll('\n', '\r\n')],
    ['an unprintable domain', write({ origin: 'localhost:3000\u0000' }).replace(' wants', '\twants')],
  ])('%s', (_what, text) => {
    expect(outcome(text)).toBe('VALIDATION_ERROR');
  });
});

it('signs in to the dashboard only from the server’s own pages', () => {
  const app = { origin: 'app.example', uri: 'https://app.example' };
  expect(outcome(write(app), 'app')).toBe('accepted');
  expect(outcome(write(app), 'dashboard')).toBe('ACCESS_DENIED');
  expect(outcome(write(), 'dashboard')).toBe('accepted');
});

it('only throws ParleyError, and is fast, for any text', () => {
  const piece = fc.constantFrom(
    ...write().split(/(?=[\n :/.])/),
    '\n',
    '\n\n',
    'Resources:',
    '\n- ',
    'a'.repeat(500),
  );
  const text = fc.oneof(
    fc.string({ maxLength: 4_096, unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    fc.tuple(fc.nat(400), fc.string({ maxLength: 3 })).map(([index, inserted]) => {
      const whole = write();
      return whole.slice(0, index) + inserted + whole.slice(index + 1);
    }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const startedAt = performance.now();
      expect(outcome(given)).toBeTypeOf('string');
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }),
    { numRuns: 2_000 },
  );
});
