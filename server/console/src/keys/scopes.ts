import type { KeyScope } from '@parley/sdk';

interface ScopeDescription {
  scope: KeyScope;
  /** What the scope permits, in plain text. */
  allows: string;
  spends: boolean;
}

/** The scopes of an API key, grouped by subject. */
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
  {
    title: 'Rooms and streams',
    scopes: [
      { scope: 'rooms:read', allows: 'Read rooms and their participants', spends: false },
      { scope: 'rooms:write', allows: 'Create and moderate rooms', spends: false },
      { scope: 'streams:read', allows: 'Read streams and their viewers', spends: false },
      { scope: 'streams:write', allows: 'Create and moderate streams', spends: false },
      { scope: 'tokens:create', allows: 'Let guests into rooms and streams', spends: false },
    ],
  },
  {
    title: 'Calls and recordings',
    scopes: [
      { scope: 'calls:read', allows: 'Read calls', spends: false },
      { scope: 'calls:write', allows: 'End calls', spends: false },
      { scope: 'recordings:read', allows: 'Read recordings', spends: false },
      { scope: 'recordings:write', allows: 'Delete recordings', spends: false },
    ],
  },
  {
    title: 'Webhooks',
    scopes: [{ scope: 'webhooks:write', allows: 'Set webhook endpoints, read their events', spends: false }],
  },
  { title: 'eSIM', scopes: [{ scope: 'esim:order', allows: 'Order eSIMs', spends: true }] },
];

/** The scopes preselected for a new key. They are also the server's default. */
export const firstScopes: KeyScope[] = ['account:read', 'sms:send', 'numbers:read', 'numbers:buy'];
