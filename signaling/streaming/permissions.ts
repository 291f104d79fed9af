import type { Executor } from '../../platform/database/Executor.ts';
import { isBackend, type PartyContext } from '../socket/RequestContext.ts';
import { denied, noSuchStream } from './refusals.ts';
import type { StreamStore } from './StreamStore.ts';
import type { StreamRow } from './tables.ts';

/** Whether a party manages the stream: its host, or a guest whose participant token says so, unless it is banned. */
export async function isHost(
  store: StreamStore,
  { id, host }: StreamRow,
  { wallet, guest }: PartyContext,
  executor?: Executor,
): Promise<boolean> {
  if (wallet === host) return true;
  if (guest?.role !== 'host' || guest.subjectId !== id) return false;
  return !(await store.isBanned(id, wallet, executor));
}

/** @throws ParleyError ACCESS_DENIED; NOT_FOUND for a backend, to which the streams of other accounts do not exist */
export async function mustHost(...asked: Parameters<typeof isHost>): Promise<void> {
  if (await isHost(...asked)) return;
  const [, , context] = asked;
  if (isBackend(context)) throw noSuchStream();
  throw denied('not_the_host', 'Only the host of the stream may do this: sign in as the host.');
}
