import type { z } from 'zod';
import type { Executor } from '../../../platform/database/Executor.ts';
import { defined } from '../../../platform/defined.ts';
import type { createdToken, newStreamToken, participantToken } from '../../../sdk/protocol/guests.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { toGuestId, type PartyId } from '../../../sdk/protocol/party.ts';
import type { Network } from '../../../sdk/protocol/session.ts';
import type * as schemas from '../../../sdk/protocol/streams.ts';
import { toToken } from '../../../signaling/guests/ParticipantTokens.ts';
import { backendContext, type BackendContext } from '../../../signaling/socket/RequestContext.ts';
import type { StreamRow, WatchingRow } from '../../../signaling/streaming/tables.ts';
import { placedPage, toPlacedPage } from '../../http/paging.ts';
import type { AccountPrincipal } from '../../http/Principal.ts';
import { keepHost } from '../accountHost.ts';
import { hostOf, type RealtimeRules } from '../RealtimeRules.ts';
import { toBackendStream, toBackendViewer } from './toWire.ts';

type Body<Name extends 'createStream' | 'changeStream' | 'streamBan' | 'createViewerToken'> = z.output<
  (typeof schemas)[Name]
>;
type Query<Name extends 'streamsQuery' | 'viewersQuery' | 'streamTokensQuery'> = z.output<
  (typeof schemas)[Name]
>;
type Answer<Name extends keyof typeof schemas> = z.input<(typeof schemas)[Name]>;

/**
 * The streams of an account for its backend, which acts as their host. All methods with the id of a stream throw ParleyError NOT_FOUND for a
 * stream of another account.
 */
export class StreamService {
  readonly #rules: RealtimeRules;

  constructor({ rules }: { rules: RealtimeRules }) {
    this.#rules = rules;
  }

  /** Checks a new stream. @returns a function that stores it */
  async create(
    principal: AccountPrincipal,
    { network, ...request }: Body<'createStream'>,
  ): Promise<(tx: Executor) => Promise<Answer<'streamWithKey'>>> {
    const { streams } = this.#streams;
    const context = contextOf(principal, network);
    await streams.check(context, request);
    return async (tx) => {
      await keepHost(tx, principal);
      return this.#withKey(await streams.insert(tx, context, request), context);
    };
  }

  async list(principal: AccountPrincipal, query: Query<'streamsQuery'>): Promise<Answer<'streams'>> {
    const context = contextOf(principal);
    const { limit, before } = placedPage(query);
    const { status } = query;
    const rows = await this.#streams.streams.page(context, { status, limit: limit + 1, before });
    const placeOf = ({ createdAt: at, id }: StreamRow) => ({ at, id });
    return toPlacedPage(rows, limit, placeOf, (row) => this.#shown(row, context));
  }

  async get(principal: AccountPrincipal, id: string): Promise<Answer<'stream'>> {
    const context = contextOf(principal);
    return this.#shown(await this.#streams.streams.own(context, id), context);
  }

  async change(
    principal: AccountPrincipal,
    id: string,
    changes: Body<'changeStream'>,
  ): Promise<Answer<'stream'>> {
    const context = contextOf(principal);
    return this.#shown(await this.#streams.streams.update(context, id, defined(changes)), context);
  }

  /** A stream that has ended stays as it is, so that a repeated request succeeds. */
  async end(principal: AccountPrincipal, id: string): Promise<Answer<'stream'>> {
    await this.#streams.streams.end(contextOf(principal), id).catch((error: unknown) => {
      if (!(error instanceof ParleyError && error.reason === 'stream_ended')) throw error;
    });
    return this.get(principal, id);
  }

  async resetKey(principal: AccountPrincipal, id: string): Promise<Answer<'streamWithKey'>> {
    const context = contextOf(principal);
    return this.#withKey(await this.#streams.streams.renewKey(context, id), context);
  }

  async viewers(
    principal: AccountPrincipal,
    id: string,
    query: Query<'viewersQuery'>,
  ): Promise<Answer<'viewers'>> {
    const { limit, before } = placedPage(query);
    const page = { limit: limit + 1, before };
    const rows = await this.#streams.viewers.page(contextOf(principal), id, page);
    const placeOf = ({ joinedAt: at, id: playerId }: WatchingRow) => ({ at, id: playerId });
    return toPlacedPage(rows, limit, placeOf, toBackendViewer);
  }

  async ban(
    principal: AccountPrincipal,
    streamId: string,
    { walletAddress, identity }: Body<'streamBan'>,
    banned: boolean,
  ): Promise<Answer<'changedBan'>> {
    const viewer: PartyId = walletAddress ?? toGuestId(identity ?? '');
    await this.#streams.removals.ban(contextOf(principal), { streamId, walletAddress: viewer, banned });
    return { walletAddress: walletAddress ?? null, identity: identity ?? null, isBanned: banned };
  }

  createViewerToken(
    principal: AccountPrincipal,
    id: string,
    { walletAddress }: Body<'createViewerToken'>,
  ): Promise<Answer<'viewerToken'>> {
    return this.#streams.access.tokenFor(contextOf(principal), id, walletAddress ?? null);
  }

  /** Call inside the transaction that stores the answer. */
  async createToken(
    tx: Executor,
    principal: AccountPrincipal,
    id: string,
    token: z.output<typeof newStreamToken>,
  ): Promise<z.input<typeof createdToken>> {
    await this.#streams.streams.lockOpen(tx, contextOf(principal), id);
    const canPublish = token.role === 'host' ? (['microphone', 'camera', 'screen'] as const) : [];
    return this.#rules.current.participantTokens.create(tx, id, {
      ...token,
      canPublish: [...canPublish],
      canSubscribe: true,
      canSendData: false,
    });
  }

  async tokens(
    principal: AccountPrincipal,
    id: string,
    query: Query<'streamTokensQuery'>,
  ): Promise<Answer<'streamTokens'>> {
    await this.#streams.streams.own(contextOf(principal), id);
    const { limit, before } = placedPage(query);
    const rows = await this.#rules.current.participantTokens.list(id, { limit: limit + 1, before });
    return toPlacedPage(rows, limit, ({ createdAt: at, id: tokenId }) => ({ at, id: tokenId }), toToken);
  }

  revokeToken(
    principal: AccountPrincipal,
    { id, tokenId }: { id: string; tokenId: string },
  ): Promise<z.input<typeof participantToken>> {
    return this.#streams.removals.revoke(contextOf(principal), id, tokenId);
  }

  get #streams() {
    return this.#rules.current.streams;
  }

  #shown(row: StreamRow, context: BackendContext): Answer<'stream'> {
    return toBackendStream(row, this.#streams.streams.toWire(row, context));
  }

  #withKey(row: StreamRow, context: BackendContext): Answer<'streamWithKey'> {
    const { streamKey } = this.#streams.streams.toWire(row, context);
    return { ...this.#shown(row, context), streamKey };
  }
}

function contextOf(principal: AccountPrincipal, network?: Network): BackendContext {
  const ofSession = principal.kind === 'session' ? principal.session.network : null;
  return backendContext(hostOf(principal), network ?? ofSession ?? 'mainnet');
}
