/**
 * The paths of the console's pages, as patterns. pages.ts uses them, and the server answers 404 to all other paths. The navigation
 * links to the first path of each page.
 */
export const pagePaths = {
  calls: ['/', '/call/:callee'],
  chats: ['/chats', '/chats/:peer'],
  rooms: ['/rooms', '/rooms/:room'],
  streams: ['/streams', '/streams/:stream'],
  recordings: ['/recordings'],
  /** Of a call or a room. */
  quality: ['/quality/:id'],
  voicemail: ['/voicemail'],
  texts: ['/texts', '/texts/:counterparty'],
  numbers: ['/numbers'],
  apiKeys: ['/keys'],
  webhooks: ['/webhooks', '/webhooks/:view', '/webhooks/endpoints/:endpoint'],
  backend: ['/backend', '/backend/:view', '/backend/rooms/:room'],
  esims: ['/esims'],
  lookUps: ['/look-ups'],
  billing: ['/billing'],
  audit: ['/audit'],
  notifications: ['/notifications'],
  account: ['/account'],
  operator: ['/operator'],
  operatorAccounts: ['/operator/accounts'],
  operatorPayments: ['/operator/payments'],
  /** Open to everyone, signed in or not. */
  watch: ['/watch/:stream'],
  /** The page of guests with a participant token. Open to everyone. */
  join: ['/join'],
  /** The connection test. Open to everyone. */
  check: ['/check'],
  /** The redirect URI of the identity provider. */
  signIn: ['/sign-in/return'],
} satisfies Record<string, [string, ...string[]]>;
