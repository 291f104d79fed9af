import { zeroAddress } from 'viem';
import type { WireLiveStream } from '../../sdk/protocol/streaming.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { walletOf } from '../../sdk/protocol/party.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import { mustHost, over } from './refusals.ts';
import { next, type StreamEvent } from './state.ts';
import { jobKinds, type StreamDeps } from './StreamDeps.ts';
import { noSuchKey } from './StreamKeys.ts';
import type { StreamPublishers } from './StreamPublishers.ts';
import type { StreamRow } from './tables.ts';
import { toStream } from './toWire.ts';

/** The maximum number of streams that one wallet may have at a time. Ended streams do not count. */
const maxStreams = 200;

/** Creates, finds and ends streams, and manages their keys. */
export class Streams {
  readonly #deps: StreamDeps;
  readonly #publishers: StreamPublishers;

  constructor(deps: StreamDeps, publishers: StreamPublishers) {
    this.#deps = deps;
    this.#publishers = publishers;
    deps.jobs.on(jobKinds.gone, async ({ subject }) => {
      if (!(await this.#finish(subject, { type: 'gone' }, null))) await publishers.release(subject);
    });
  }

  async create(context: PartyContext, request: RequestOf<'streaming.create'>): Promise<WireLiveStream> {
    const { limits, gates, store, keys, log } = this.#deps;
    await limits.creating.consume(context);
    const { title, description, isPublic, gate, record } = request;
    if (record) this.#deps.recordings.mustBePossible();
    // The gate is tried with a wallet, to find conditions that cannot be read. An account without a wallet tries the zero address.
    if (gate) await gates.verify(gate, context.network, walletOf(context.wallet) ?? zeroAddress);
    const id = newId('str');
    const row: StreamRow = {
      id,
      title,
      description,
      isPublic,
      gate,
      record,
      ...keys.create(id),
      revision: 0,
      host: context.wallet,
      network: context.network,
      status: 'idle',
      createdAt: new Date(),
      startedAt: null,
      endedAt: null,
      endReason: null,
      publisher: null,
      publishedBy: null,
      publisherSocket: null,
      publisherNode: null,
      isSending: false,
      viewerCount: 0,
      countedAt: null,
    };
    await store.transaction(async (executor) => {
      if ((await store.countOf(executor, context.wallet)) >= maxStreams)
        throw new ParleyError(
          'CONFLICT',
          `A wallet may have ${maxStreams} streams at a time: end one first.`,
        );
      await store.insert(executor, row);
    });
    log.info({ streamId: id, wallet: row.host, gate: gate?.type ?? null, isPublic }, 'stream created');
    return this.toWire(row, context);
  }

  async get(context: PartyContext, streamId: string): Promise<WireLiveStream> {
    return this.toWire(await this.#deps.store.stream(streamId), context);
  }

  /** The stream as everybody except its host sees it. */
  async show(streamId: string): Promise<WireLiveStream> {
    const { store, addresses } = this.#deps;
    return toStream(await store.stream(streamId), '', addresses);
  }

  async list(
    context: PartyContext,
    { host = context.wallet, ...query }: RequestOf<'streaming.list'>,
  ): Promise<WireLiveStream[]> {
    const { store } = this.#deps;
    const rows = await (host === null ? store.open(query) : store.of(host, host === context.wallet, query));
    return rows.map((row) => this.toWire(row, context));
  }

  async resetKey(context: PartyContext, streamId: string): Promise<WireLiveStream> {
    const { store, keys, notifier, log } = this.#deps;
    const { before, after } = await store.inStream(streamId, async (executor, stream) => {
      mustHost(stream, context.wallet);
      if (stream.status === 'ended') throw over();
      const changes = { ...keys.create(streamId), ...(await this.#publishers.cutOff(executor, stream)) };
      return { before: stream, after: await store.change(executor, streamId, changes) };
    });
    log.info({ streamId }, 'stream key reset');
    if (before.isSending && !after.isSending) notifier.updated(after);
    if (before.publisher !== after.publisher) await this.#publishers.dismiss(before, after);
    return this.toWire(after, context);
  }

  /** Ends the stream for everybody. */
  async end(context: PartyContext, streamId: string): Promise<void> {
    mustHost(await this.#deps.store.stream(streamId), context.wallet);
    if (!(await this.#finish(streamId, { type: 'end' }, context))) throw over();
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED, CONFLICT */
  async ofKey(key: string): Promise<{ streamId: string; host: string }> {
    const { store, keys } = this.#deps;
    const stream = await store.ofKey(keys.hashOf(key));
    if (!stream) throw noSuchKey();
    if (stream.status === 'ended') throw over();
    return { streamId: stream.id, host: stream.host };
  }

  /**
   * Repeats the effects of a stream's end, in case the node that stored the end died before it had closed the stream's media and notified
   * the devices.
   */
  async endAgain(row: StreamRow): Promise<void> {
    await this.#deps.media.closeRoom(row.id);
    this.#deps.notifier.ended(row);
    this.#deps.notifier.changed(row.id);
  }

  /** Includes the key for the host only. */
  toWire(row: StreamRow, { wallet }: Pick<PartyContext, 'wallet'>): WireLiveStream {
    const { keys, addresses } = this.#deps;
    const streamKey = wallet === row.host ? keys.read(row.id, row.keySealed) : '';
    return toStream(row, streamKey, addresses);
  }

  /** @returns false if the stream has already ended, or if its publisher is back */
  async #finish(streamId: string, event: StreamEvent, by: PartyContext | null): Promise<boolean> {
    const { store, jobs, notifier, recordings, log } = this.#deps;
    const done = await store.inStream(streamId, async (executor, stream) => {
      const step = next(stream.status, event);
      if (!step || (event.type === 'gone' && stream.isSending)) return null;
      await store.clear(executor, streamId);
      await jobs.cancel(executor, jobKinds.gone, streamId);
      const { status, endReason } = step;
      const over = { status, endReason, endedAt: new Date(), isSending: false, viewerCount: 0 };
      const recording = stream.record ? await recordings.end(executor, streamId, 'over') : null;
      return { recording, after: await store.change(executor, streamId, over) };
    });
    if (!done) return false;
    if (done.recording) recordings.ended(done.recording);
    log.info({ streamId, endReason: done.after.endReason }, 'stream ended');
    await this.#deps.media.closeRoom(streamId);
    notifier.ended(done.after, by?.socketId);
    notifier.changed(streamId);
    return true;
  }
}
