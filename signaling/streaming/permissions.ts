import type { Executor } from '../../platform/database/Executor.ts';
import { tokenExpired } from '../socket/guestRefusals.ts';
import { isBackend, type Guest, type PartyContext } from '../socket/RequestContext.ts';
import { denied, noSuchStream } from './refusals.ts';
import type { StreamStore } from './StreamStore.ts';
import type { StreamRow } from './tables.ts';

/**
 * Whether a party manages the stream: its host, or a guest whose participant token says so, unless it is banned. Once the token has expired,
 * the guest does so only while it publishes or watches.
 */
export async function isHost(
  store: StreamStore,
  { id, host, status, publisherToken, publisherNode }: StreamRow,
  { wallet, guest }: PartyContext,
  executor?: Executor,
): Promise<boolean> {
  if (wallet === host) return true;
  if (guest?.role !== 'host' || guest.subjectId !== id) return false;
  if (await store.isBanned(id, wallet, executor)) return false;
  if (!hasExpired(guest)) return true;
  // A live stream waits for a publisher who is away. One that was never live keeps the name of the last one.
  const isPublished = status === 'live' || publisherNode !== null;
  if (isPublished && publisherToken === guest.tokenId) return true;
  return (await store.watchings.ofToken(id, guest.tokenId, executor)).length > 0;
}

/** @throws ParleyError ACCESS_DENIED, AUTHENTICATION_REQUIRED; NOT_FOUND for a backend, to which the streams of other accounts do not exist */
export async function mustHost(...asked: Parameters<typeof isHost>): Promise<void> {
  if (await isHost(...asked)) return;
  const [, , context] = asked;
  if (isBackend(context)) throw noSuchStream();
  if (context.guest?.role === 'host' && hasExpired(context.guest)) throw tokenExpired();
  throw denied('not_the_host', 'Only the host of the stream may do this: sign in as the host.');
}

const hasExpired = ({ expiresAt }: Guest) => Date.parse(expiresAt) <= Date.now();
