import type { KeyScope } from '../../../sdk/protocol/http.ts';

/* Valid requests, for tests of every row of the route table. */

/** The scopes of the routes with which backends reach rooms, streams, calls, recordings and webhooks. These routes cost nothing. */
export const backendScopes: readonly KeyScope[] = [
  'rooms:read',
  'rooms:write',
  'streams:read',
  'streams:write',
  'calls:read',
  'calls:write',
  'recordings:read',
  'recordings:write',
  'tokens:create',
  'webhooks:write',
];

export const to = '+15005550006';
export const numberId = 'num_000000000000000000000000';
/** A valid body of each row, or a valid query if it is a GET. */
export const goodRequests: Record<string, object> = {
  'POST /sms/send': { to, message: 'hello' },
  'POST /messaging/send': { to, message: 'hello', mediaUrls: ['https://media.example/a.png'] },
  'POST /numbers/mine/send': { to, message: 'hello' },
  'POST /numbers/buy': { country: 'DE' },
  'POST /numbers/buy/us': {},
  'POST /numbers/buy/intl': { country: 'DE' },
  'POST /xmpp/provision': { username: 'alice' },
  'POST /numbers/mine/renew': { numberId, months: 2 },
  'PUT /numbers/mine/webhook': { numberId, url: 'https://hooks.example' },
  'GET /numbers/mine/webhook': { numberId },
  'POST /numbers/mine/webhook/test': { phoneNumber: to },
  'POST /webhooks/endpoints': { url: 'https://hooks.example', events: ['room.started'] },
  'PATCH /webhooks/endpoints/:id': { disabled: true },
  'POST /rooms/:id/data': { topic: 'slide', json: { number: 7 } },
  'POST /lookup': { phoneNumber: to },
  'POST /leaksearch/search': { query: 'a@example.org', type: 'email' },
  'POST /leaksearch/search-with-credits': { query: 'a@example.org', type: 'email' },
  'POST /esim/checkout': { packageId: 'eu-1gb' },
  'POST /verifications/start': { to },
  'POST /api-keys': { name: 'a key' },
  'POST /account/identities': { type: 'oidc', token: 'x' },
  'DELETE /account': { type: 'oidc', token: 'x' },
  'POST /account/top-up': { credits: 1_000 },
  'POST /account/subscription': { planId: 'team' },
  'GET /numbers/buy/status': { orderId: 'ord_000000000000000000000000' },
  'GET /numbers/available': { country: 'DE' },
  'GET /sms/rate': { to },
  'PATCH /numbers/mine/:id': { autoRenew: true },
  'POST /numbers/mine/release': { numberId },
  'POST /rooms': { name: 'Stand-up' },
  'PATCH /rooms/:id': { name: 'Retrospective', settings: { locked: true } },
  'PATCH /rooms/:id/participants/:participantId': { role: 'viewer' },
  'POST /rooms/:id/participants/:participantId/move': { to: `room_${'0'.repeat(24)}` },
  'POST /rooms/:id/breakouts': { rooms: [{ name: 'Group 1' }] },
  'POST /rooms/:id/messages': { content: 'Hello' },
  'POST /rooms/:id/tokens': { identity: 'alice' },
  'POST /streams': { title: 'A stream', isPublic: false },
  'PATCH /streams/:id': { title: 'Another title' },
  'POST /streams/:id/bans': { identity: 'bob' },
  'DELETE /streams/:id/bans': { walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
  'POST /streams/:id/viewer-tokens': {},
  'POST /streams/:id/tokens': { identity: 'bob', role: 'host', canChat: false },
};
