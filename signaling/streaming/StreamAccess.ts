import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { ResponseOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';
import { mayStayUnread } from '../gates/recheck.ts';
import { mustHost } from './permissions.ts';
import { otherStream } from '../socket/guestRefusals.ts';
import { banned, denied, over } from './refusals.ts';
import type { StreamDeps } from './StreamDeps.ts';
import type { AdmittedViewer } from './StreamGateway.ts';
import { isPrivate, type StreamRow } from './tables.ts';

/**
 * Decides who may watch a stream. A public stream is open to everybody, a gated stream to wallets that pass the gate, and a private stream
 * to holders of a viewer token. The host may always watch, and banned wallets never.
 */
export class StreamAccess {
  readonly #deps: StreamDeps;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  /**
   * Checks a signed-in device.
   * @returns when the gate admitted it, as requireWallet()
   * @throws ParleyError ACCESS_DENIED, CONFLICT, SERVICE_UNAVAILABLE
   */
  async require(stream: StreamRow, context: PartyContext, token: string | null): Promise<Date | null> {
    if (stream.status === 'ended') throw over();
    if (context.wallet === stream.host) return null;
    if (context.guest) {
      if (context.guest.subjectId !== stream.id) throw otherStream();
      if (stream.gate)
        throw denied('guest', 'Only wallets can pass the gate of this stream: sign in with a wallet.');
      return this.requireWallet(stream, context.wallet);
    }
    if (stream.gate && stream.network !== context.network)
      throw denied('other_network', `The stream is on the ${stream.network}: sign in to that network.`);
    if (isPrivate(stream)) {
      const claims = token === null ? null : this.#deps.tokens.read(stream, token);
      // A backend may have created the token for another wallet.
      if (!claims || (claims.wallet !== null && claims.wallet !== context.wallet))
        throw denied('token_needed', 'This stream is private: ask its host for a viewer token.');
    }
    return this.requireWallet(stream, context.wallet);
  }

  /** Checks a viewer without a session. @throws ParleyError AUTHENTICATION_REQUIRED, ACCESS_DENIED, CONFLICT, SERVICE_UNAVAILABLE */
  async admit(playbackId: string, token: string | null, subnets: readonly Subnet[]): Promise<AdmittedViewer> {
    const stream = await this.#deps.store.stream(playbackId);
    if (stream.status === 'ended') throw over();
    const claims = token === null ? null : this.#deps.tokens.read(stream, token);
    // A token that is not valid is refused even for public streams: it names no viewer, so nothing can be checked.
    if (token !== null && !claims)
      throw tokenNeeded('token_void', 'This viewer token is not valid or has expired: get a new one.');
    if (!claims && (stream.gate || !stream.isPublic))
      throw tokenNeeded('token_needed', 'This stream needs a viewer token: ask its host for one.');
    const wallet = claims?.wallet ?? null;
    if (stream.gate && !wallet)
      throw tokenNeeded(
        'token_needed',
        'This stream is gated and needs a wallet’s own viewer token: sign in and get one.',
      );
    if (wallet) await this.requireWallet(stream, wallet);
    const viewer = wallet ?? this.#deps.tokens.guest(subnets);
    return { streamId: stream.id, viewer, walletAddress: wallet };
  }

  /**
   * Checks a player that was admitted before, has been away and returns with nothing but its sealed session. By now the stream may be
   * private, and its key and thereby its shared tokens reset.
   * @param wallet null for a guest
   * @param token the one with which the player was admitted, which may have expired since
   * @returns when the gate admitted the wallet, as requireWallet()
   * @throws ParleyError AUTHENTICATION_REQUIRED, ACCESS_DENIED, CONFLICT, SERVICE_UNAVAILABLE
   */
  async readmit(stream: StreamRow, wallet: PartyId | null, token: string | null): Promise<Date | null> {
    if (stream.status === 'ended') throw over();
    if (isPrivate(stream) && wallet !== stream.host) {
      const claims = token === null ? null : this.#deps.tokens.read(stream, token, true);
      if (!claims || (claims.wallet !== null && claims.wallet !== wallet))
        throw tokenNeeded(
          'token_needed',
          'This stream is private: ask its host for a viewer token and start again.',
        );
    }
    return this.requireWallet(stream, wallet);
  }

  /** Creates a token for players without a session. */
  async token(context: PartyContext, streamId: string): Promise<ResponseOf<'streaming.getViewerToken'>> {
    const { store, tokens, limits } = this.#deps;
    await limits.watching.consume(context);
    const stream = await store.stream(streamId);
    await this.require(stream, context, null);
    const isHost = context.wallet === stream.host;
    const isForAnybody = isHost && isPrivate(stream);
    // Viewers who are no host get here without a gate only because the stream is public.
    const { token, expiresAt } = isForAnybody
      ? tokens.forAnybody(stream)
      : tokens.forWallet(stream, context.wallet, !isHost && !stream.gate);
    return { token, expiresAt: toIso(expiresAt) };
  }

  /** Creates a token for players without a session, on behalf of the host: for a wallet, or null for anybody who has it. */
  async tokenFor(
    context: PartyContext,
    streamId: string,
    wallet: Address | null,
  ): Promise<ResponseOf<'streaming.getViewerToken'>> {
    const { store, tokens } = this.#deps;
    const stream = await store.stream(streamId);
    await mustHost(store, stream, context);
    if (stream.status === 'ended') throw over();
    if (stream.gate && !wallet) {
      const message = 'the stream is gated, so its tokens are for one wallet each';
      throw new ParleyError('VALIDATION_ERROR', `walletAddress: ${message}`, {
        details: [{ path: 'walletAddress', code: 'required', message }],
      });
    }
    const { token, expiresAt } = wallet ? tokens.forWallet(stream, wallet) : tokens.forAnybody(stream);
    return { token, expiresAt: toIso(expiresAt) };
  }

  /**
   * Checks the rules that apply for as long as a viewer watches.
   * @param wallet null for a guest
   * @param checkedAt when the gate last admitted a viewer who returns. While the gate cannot be read, such a viewer may stay
   * @returns when the gate last admitted the wallet; null if it need not
   */
  async requireWallet(
    stream: StreamRow,
    wallet: PartyId | null,
    checkedAt: Date | null = null,
  ): Promise<Date | null> {
    const { store, gates, recheckMs } = this.#deps;
    if (stream.status === 'ended') throw over();
    if (!wallet || wallet === stream.host) return null;
    if (await store.isBanned(stream.id, wallet)) throw banned();
    if (!stream.gate) return null;
    const now = new Date();
    try {
      await gates.require(stream.gate, wallet as Address);
      return now;
    } catch (error) {
      const isUnread = error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE';
      if (isUnread && mayStayUnread(checkedAt, recheckMs)) return checkedAt;
      throw error;
    }
  }
}

const tokenNeeded = (reason: 'token_needed' | 'token_void', message: string) =>
  new ParleyError('AUTHENTICATION_REQUIRED', message, { reason });
