import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { WebhookSecrets } from './WebhookSecrets.ts';

const secrets = new WebhookSecrets(randomBytes(32));
const numberId = 'num_1';

it('opens a sealed secret only for its number and key', () => {
  const { secret, columns } = secrets.create(numberId);
  expect(secrets.open({ numberId, ...columns })).toEqual([secret]);
  expect(() => secrets.open({ numberId: 'num_2', ...columns })).toThrow();
  expect(() => new WebhookSecrets(randomBytes(32)).open({ numberId, ...columns })).toThrow();
});

it('returns the replaced secret too, for a day', () => {
  const first = secrets.create(numberId);
  const second = secrets.create(numberId, first.columns);
  expect(secrets.open({ numberId, ...second.columns })).toEqual([second.secret, first.secret]);
  const previousSecretUntil = new Date(Date.now() - 1);
  expect(secrets.open({ numberId, ...second.columns, previousSecretUntil })).toEqual([second.secret]);
});

it('replaces a secret that cannot be read', () => {
  const lost = new WebhookSecrets(randomBytes(32)).create(numberId);
  const next = secrets.create(numberId, lost.columns);
  expect(secrets.open({ numberId, ...next.columns })).toEqual([next.secret]);
});
