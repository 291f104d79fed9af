import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { WebhookSecrets } from './WebhookSecrets.ts';
import { onlyKey } from '../../platform/keys.ts';

const secrets = new WebhookSecrets(onlyKey(randomBytes(32)));
const id = 'num_1';

it('opens a sealed secret only for its receiver and key', () => {
  const { secret, columns } = secrets.create(id);
  expect(secrets.open({ id, ...columns })).toEqual([secret]);
  expect(() => secrets.open({ id: 'num_2', ...columns })).toThrow();
  expect(() => new WebhookSecrets(onlyKey(randomBytes(32))).open({ id, ...columns })).toThrow();
});

it('returns the replaced secret too, for a day', () => {
  const first = secrets.create(id);
  const second = secrets.create(id, first.columns);
  expect(secrets.open({ id, ...second.columns })).toEqual([second.secret, first.secret]);
  const previousSecretUntil = new Date(Date.now() - 1);
  expect(secrets.open({ id, ...second.columns, previousSecretUntil })).toEqual([second.secret]);
});

it('returns all secrets that were replaced within a day, of many the latest', () => {
  const made = [secrets.create(id)];
  for (let count = 0; count < 9; count++) made.unshift(secrets.create(id, made[0]?.columns));
  const third = made[7];
  if (!third) throw new Error('there are ten secrets');
  expect(secrets.open({ id, ...third.columns })).toEqual(made.slice(7).map(({ secret }) => secret));
  const [last] = made;
  if (!last) throw new Error('there are ten secrets');
  expect(secrets.open({ id, ...last.columns })).toEqual(made.slice(0, 5).map(({ secret }) => secret));
  const expired = { ...third.columns, previousSecretUntil: new Date(Date.now() - 1) };
  const next = secrets.create(id, expired);
  expect(secrets.open({ id, ...next.columns })).toEqual([next.secret, third.secret]);
});

it('replaces a secret that cannot be read', () => {
  const lost = new WebhookSecrets(onlyKey(randomBytes(32))).create(id);
  const next = secrets.create(id, lost.columns);
  expect(secrets.open({ id, ...next.columns })).toEqual([next.secret]);
});
