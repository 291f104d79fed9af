import type { Executor } from '../../platform/database/Executor.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import { toToken, type WireToken } from '../guests/ParticipantTokens.ts';
import { mustHost } from './permissions.ts';
import type { StreamDeps } from './StreamDeps.ts';
import type { StreamPublishers } from './StreamPublishers.ts';
import type { StreamViewers } from './StreamViewers.ts';
import type { StreamRow } from './tables.ts';

/** The maximum number of wallets and guests that are banned from a stream. */
const maxBans = 10_000;

/** Removes viewers, and guests who publish, from streams: by bans, and by revoking participant tokens. */
export class StreamRemovals {
  readonly #deps: StreamDeps;
  readonly #publishers: StreamPublishers;
  readonly #viewers: StreamViewers;

  constructor(deps: StreamDeps, publishers: StreamPublishers, viewers: StreamViewers) {
    this.#deps = deps;
    this.#publishers = publishers;
    this.#viewers = viewers;
  }

  /** Bans a wallet or guest from the stream and its chat, or lifts the ban. */
  async ban(
    context: PartyContext,
    { streamId, walletAddress, banned: isBanned }: RequestOf<'streaming.ban'>,
  ): Promise<void> {
    const { store, participantTokens, log } = this.#deps;
    await this.#change(context, streamId, async (executor, stream) => {
      if (walletAddress === stream.host)
        throw new ParleyError(
          'CONFLICT',
          'The host of a stream cannot be banned from it: end the stream instead.',
        );
      if (isBanned) await this.#addBan(executor, streamId, walletAddress);
      else await store.unban(executor, streamId, walletAddress);
      const removed = isBanned ? await participantTokens.ofGuest(executor, streamId, walletAddress) : [];
      return { removed, result: null };
    });
    log.info({ streamId, wallet: walletAddress, by: context.wallet, isBanned }, 'stream ban changed');
    if (isBanned) await this.#orRepeat(streamId, this.#viewers.remove(streamId, walletAddress, 'banned'));
  }

  async #addBan(executor: Executor, streamId: string, party: PartyId): Promise<void> {
    const { store } = this.#deps;
    await store.ban(executor, streamId, party);
    if ((await store.countBans(executor, streamId)) > maxBans)
      throw new ParleyError('CONFLICT', `A stream may have ${maxBans} bans: lift some first.`);
  }

  /** Revokes a participant token. The guest, on whichever node it is, leaves the stream, and its connections are closed. */
  async revoke(context: PartyContext, streamId: string, tokenId: string): Promise<WireToken> {
    const { participantTokens, endSession, log } = this.#deps;
    const revoked = await this.#change(context, streamId, async (executor) => {
      const token = await participantTokens.revoke(executor, streamId, tokenId);
      return { removed: [tokenId], result: toToken(token) };
    });
    log.info({ streamId, tokenId }, 'participant token revoked');
    await this.#orRepeat(streamId, this.#viewers.removeRevoked(streamId, tokenId));
    endSession(tokenId);
    return revoked;
  }

  /** If viewers could not be removed, that is repeated: their removal is stored, and the host may not try again. */
  async #orRepeat(streamId: string, removing: Promise<void>): Promise<void> {
    await removing.catch((error: unknown) => {
      this.#deps.store.doubt(streamId);
      throw error;
    });
  }

  /** @param change makes the change, and returns in `removed` the participant tokens with which nobody may publish any more */
  async #change<T>(
    context: PartyContext,
    streamId: string,
    change: (executor: Executor, stream: StreamRow) => Promise<{ removed: string[]; result: T }>,
  ): Promise<T> {
    const { store, notifier } = this.#deps;
    const { before, after, result } = await store.inStream(streamId, async (executor, stream) => {
      await mustHost(store, stream, context, executor);
      const { removed, result: changed } = await change(executor, stream);
      const unchanged = { before: stream, after: stream, result: changed };
      const isPublisher = stream.publisherToken !== null && removed.includes(stream.publisherToken);
      if (!isPublisher || stream.status === 'ended') return unchanged;
      return { ...unchanged, after: await this.#publishers.removeGuest(executor, stream) };
    });
    if (before.isSending && !after.isSending) notifier.updated(after);
    if (before.publisher !== after.publisher) await this.#publishers.dismiss(before, after);
    return result;
  }
}
