/**
 * Every path of the console's pages, as patterns: the page table has its pages' from here, and the server answers 404 to all others.
 * The first of each is where the navigation leads.
 */
export const pagePaths = {
  calls: ['/', '/call/:callee'],
  chats: ['/chats', '/chats/:peer'],
  rooms: ['/rooms', '/rooms/:room'],
  streams: ['/streams', '/streams/:stream'],
  recordings: ['/recordings'],
  voicemail: ['/voicemail'],
  texts: ['/texts', '/texts/:counterparty'],
  numbers: ['/numbers'],
  apiKeys: ['/keys'],
  webhooks: ['/webhooks'],
  esims: ['/esims'],
  lookUps: ['/look-ups'],
  billing: ['/billing'],
  audit: ['/audit'],
  notifications: ['/notifications'],
  account: ['/account'],
  operator: ['/operator'],
  /** For anybody, signed in or not. */
  watch: ['/watch/:stream'],
  /** Where an identity provider sends people back to. */
  signIn: ['/sign-in/return'],
} satisfies Record<string, [string, ...string[]]>;
