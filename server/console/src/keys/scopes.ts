import type { KeyScope } from '@parley/sdk';

interface ScopeDescription {
  scope: KeyScope;
  /** What a key may do with it. */
  allows: string;
  spends: boolean;
}

/** What a key may be allowed, by what it is about. */
export const scopeGroups: { title: string; scopes: ScopeDescription[] }[] = [
  {
    title: 'Account',
    scopes: [{ scope: 'account:read', allows: 'Read the account’s usage, history and plan', spends: false }],
  },
  {
    title: 'Messages',
    scopes: [
      { scope: 'sms:send', allows: 'Send text messages', spends: true },
      { scope: 'verifications:start', allows: 'Send verification codes', spends: true },
    ],
  },
  {
    title: 'Numbers',
    scopes: [
      {
        scope: 'numbers:read',
        allows: 'Read numbers and their messages, set webhooks',
        spends: false,
      },
      { scope: 'numbers:buy', allows: 'Buy and renew numbers', spends: true },
    ],
  },
  {
    title: 'Lookups',
    scopes: [
      { scope: 'lookup:read', allows: 'Look up the carrier of a number', spends: true },
      { scope: 'leaksearch:search', allows: 'Search known data breaches', spends: true },
    ],
  },
  { title: 'eSIM', scopes: [{ scope: 'esim:order', allows: 'Order eSIMs', spends: true }] },
];

/** What the server gives a key that asks for nothing else: enough to begin with. */
export const firstScopes: KeyScope[] = ['account:read', 'sms:send', 'numbers:read', 'numbers:buy'];
