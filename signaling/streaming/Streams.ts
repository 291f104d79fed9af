import type { StreamStatus, WireLiveStream } from '../../sdk/protocol/streaming.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { walletOf } from '../../sdk/protocol/party.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { PlacedPage } from '../../platform/database/places.ts';
import { isBackend, type PartyContext } from '../socket/RequestContext.ts';
import { changeStream } from './accountEvents.ts';
import { mustHost } from './permissions.ts';
import { over } from './refusals.ts';
import { next, type StreamEvent } from './state.ts';
import { jobKinds, type StreamDeps } from './StreamDeps.ts';
import { noSuchKey } from './StreamKeys.ts';
import type { StreamPublishers } from './StreamPublishers.ts';
import type { StreamRow } from './tables.ts';
import { toStream } from './toWire.ts';

/** The maximum number of streams that one wallet may have at a time, and that a backend may create. Ended streams do not count. */
const maxStreams = { ofWallet: 200, ofBackend: 10_000 };

type NewStream = RequestOf<'streaming.create'>;
type StreamChanges = Partial<Pick<StreamRow, 'title' | 'description' | 'isPublic' | 'record'>>;

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

  async create(context: PartyContext, request: NewStream): Promise<WireLiveStream> {
    await this.#deps.limits.creating.consume(context);
    await this.check(context, request);
    const { store } = this.#deps;
    const row = await store.transaction((executor) => this.insert(executor, context, request));
    return this.toWire(row, context);
  }

  /** Checks a new stream before the transaction that stores it, because this may take as long as a chain needs to answer. */
  async check(context: PartyContext, { gate, record }: Pick<NewStream, 'gate' | 'record'>): Promise<void> {
    if (record) this.#deps.recordings.mustBePossible();
    if (gate) await this.#deps.gates.verify(gate, context.network, walletOf(context.wallet));
  }

  /** Stores a new stream. Call check() first. */
  async insert(executor: Executor, context: PartyContext, request: NewStream): Promise<StreamRow> {
    const { store, keys, log } = this.#deps;
    const { title, description, isPublic, gate, record } = request;
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
      publisherToken: null,
      isSending: false,
      viewerCount: 0,
      countedAt: null,
    };
    const most = isBackend(context) ? maxStreams.ofBackend : maxStreams.ofWallet;
    if ((await store.countOf(executor, context.wallet)) >= most)
      throw new ParleyError('CONFLICT', `Only ${most} streams may be open at a time: end one first.`);
    await store.insert(executor, row);
    log.info({ streamId: id, wallet: row.host, gate: gate?.type ?? null, isPublic }, 'stream created');
    return row;
  }

  async get(context: PartyContext, streamId: string): Promise<WireLiveStream> {
    return this.toWire(await this.#deps.store.stream(streamId), context);
  }

  /** A stream of the host. @throws ParleyError as mustHost() */
  async own(context: PartyContext, streamId: string): Promise<StreamRow> {
    const { store } = this.#deps;
    const stream = await store.stream(streamId);
    await mustHost(store, stream, context);
    return stream;
  }

  /** Keeps a stream of the host from ending until the transaction ends. */
  async lockOpen(executor: Executor, context: PartyContext, streamId: string): Promise<void> {
    const { store } = this.#deps;
    const stream = await store.lock(executor, streamId);
    await mustHost(store, stream, context, executor);
    if (stream.status === 'ended') throw over();
  }

  /** The streams of the host in any state, latest first. */
  async page(
    context: PartyContext,
    query: { status?: StreamStatus | undefined } & PlacedPage,
  ): Promise<StreamRow[]> {
    return this.#deps.store.page(context.wallet, query);
  }

  /** Changes what viewers see of a stream. Those who watch already go on when it becomes private. */
  async update(context: PartyContext, streamId: string, changes: StreamChanges): Promise<StreamRow> {
    const { store, notifier, recordings, log } = this.#deps;
    if (changes.record) recordings.mustBePossible();
    const after = await store.inStream(streamId, async (executor, stream) => {
      await mustHost(store, stream, context, executor);
      if (stream.status === 'ended') throw over();
      return changeStream(this.#deps, executor, stream, changes);
    });
    log.info({ streamId, changed: Object.keys(changes) }, 'stream updated');
    notifier.updated(after);
    return after;
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
    return this.toWire(await this.renewKey(context, streamId), context);
  }

  /** Replaces the stream's key, and disconnects a publisher that uses it. */
  async renewKey(context: PartyContext, streamId: string): Promise<StreamRow> {
    const { store, keys, notifier, log } = this.#deps;
    const { before, after } = await store.inStream(streamId, async (executor, stream) => {
      await mustHost(store, stream, context, executor);
      if (stream.status === 'ended') throw over();
      const changes = { ...keys.create(streamId), ...(await this.#publishers.cutOff(executor, stream)) };
      return { before: stream, after: await changeStream(this.#deps, executor, stream, changes) };
    });
    log.info({ streamId }, 'stream key reset');
    if (before.isSending && !after.isSending) notifier.updated(after);
    if (before.publisher !== after.publisher) await this.#publishers.dismiss(before, after);
    return after;
  }

  /** Ends the stream for everybody. */
  async end(context: PartyContext, streamId: string): Promise<void> {
    await this.own(context, streamId);
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
      if (!step) return null;
      // A publisher that came back since has a later deadline until it sends.
      if (event.type === 'gone' && !(await jobs.isDue(jobKinds.gone, streamId, executor))) return null;
      await store.clear(executor, streamId);
      await jobs.cancel(executor, jobKinds.gone, streamId);
      const { status, endReason } = step;
      const over = { status, endReason, endedAt: new Date(), isSending: false, viewerCount: 0 };
      const recording = await recordings.end(executor, streamId, 'over');
      return { recording, after: await changeStream(this.#deps, executor, stream, over) };
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
