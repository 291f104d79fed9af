import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { ProviderTokens } from './ProviderTokens.ts';

const issuer = 'https://login.example';
const audience = 'parley';
const day = 24 * 60 * 60;

/** Creates a provider with one RSA key of this length. @returns a function that signs a token with it and verifies the token */
function providerOf(modulusLength: number) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const key = { kid: 'one', alg: 'RS256', getPublicKey: () => pem, rsaPublicKey: pem };
  const keys = { find: () => Promise.resolve(key) };
  const tokens = new ProviderTokens({ issuer, audience, clientId: undefined, algorithms: ['RS256'], keys });
  const sign = (claims: object) =>
    jwt.sign({ iss: issuer, sub: 'alice', aud: audience, ...claims }, privateKey, {
      algorithm: 'RS256',
      allowInsecureKeySizes: true,
    });
  return (claims: object) => tokens.verify(sign(claims));
}

const seconds = () => Math.floor(Date.now() / 1_000);

it('refuses tokens that were signed with a short RSA key', async () => {
  const fresh = { iat: seconds(), exp: seconds() + 60 };
  expect(await providerOf(2_048)(fresh)).toMatchObject({ subject: 'alice' });
  await expect(providerOf(1_024)(fresh)).rejects.toMatchObject({
    code: 'AUTHENTICATION_REQUIRED',
    message: expect.stringContaining('2048 bits') as string,
  });
});

it('accepts a token for at most a day, even with a later expiry', async () => {
  const verify = providerOf(2_048);
  const iat = seconds() - day + 600;
  const { expiresAt } = await verify({ iat, exp: iat + 3_650 * day });
  expect(expiresAt).toEqual(new Date((iat + day) * 1_000));
  await expect(verify({ iat: iat - 1_200, exp: iat + 3_650 * day })).rejects.toMatchObject({
    reason: 'token_expired',
  });
});
