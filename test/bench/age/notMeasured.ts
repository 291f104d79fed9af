/* What the benchmark leaves out, and why the number of rows cannot change its cost. */

const media = 'reaches only the media worker';
const chain = 'asks a chain; the rooms are those of the measured requests';
const constant = 'is answered from the configuration';
const provider = 'needs an identity provider; it finds the identity by a unique key';
const linking =
  'needs an identity provider; a wallet that is linked takes over all rows of the account, once';

/** Requests of sockets. */
export const requestsNotMeasured: Record<string, string> = {
  'session.ping': 'is answered at once',
  'media.connectTransport': media,
  'media.restartIce': media,
  'media.resumeConsumers': media,
  'media.view': media,
  'mediaTest.open': media,
  'mediaTest.connect': media,
  'mediaTest.produce': media,
  'mediaTest.receive': media,
  'mediaTest.close': media,
  'gatedRooms.create': chain,
  'gatedRooms.checkAccess': chain,
  'gatedRooms.getChains': constant,
  'gatedRooms.getExample': chain,
  'gatedRooms.inspect': chain,
  'notifications.getServerKey': constant,
  'people.find': 'asks a chain',
  'voicemail.transcribe': 'needs a speech server; it finds one voicemail by its id, as voicemail.get does',
};

/** Routes of the HTTP API. */
export const routesNotMeasured: Record<string, string> = {
  'GET /account/plans': constant,
  'GET /esim/packages': 'is answered from the catalogue of the provider',
  'GET /auth/provider': constant,
  'POST /auth/exchange': provider,
  'POST /account/identities': linking,
  'DELETE /account/identities/:id': provider,
  'POST /account/export': 'reads all rows of the account, which is its purpose, three times a day at most',
  'POST /xmpp/provision': 'needs an XMPP server; it finds one row by the account',
  'PATCH /operator/nodes/:id': 'drains a node; there is a row for each node',
  'GET /status': constant,
  'GET /openapi.json': constant,
};
