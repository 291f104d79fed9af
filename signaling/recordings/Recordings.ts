import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RecordingKind, WireRecording } from '../../sdk/protocol/recordings.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Recorder } from './Recorder.ts';
import type { EndReason, NewRecording, RecordingDeps, RecordingScope } from './RecordingDeps.ts';
import { RecordingNotifier } from './RecordingNotifier.ts';
import { RecordingMaintenance, tidying } from './RecordingMaintenance.ts';
import { isUnsettled, type RecordingQuery } from './RecordingStore.ts';
import { reportSettled } from './accountEvents.ts';
import { RunningRecordings } from './RunningRecordings.ts';
import type { RecordingRow } from './tables.ts';
import { toRecording } from './toWire.ts';

/**
 * The rules of recordings: who may start, stop and see them. The node that starts a recording makes it (RunningRecordings) under a lease. If that node dies, another one continues the recording or joins its parts (RecordingMaintenance).
 */
export class Recordings {
  readonly #deps: RecordingDeps;
  readonly #scopes = new Map<RecordingKind, RecordingScope>();
  readonly #notifier: RecordingNotifier;
  readonly #running: RunningRecordings;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
    this.#notifier = new RecordingNotifier(deps);
    const made = { ...deps, scopes: this.#scopes, notifier: this.#notifier };
    this.#running = new RunningRecordings(made);
    new RecordingMaintenance({ ...made, running: this.#running });
  }

  addScope(kind: RecordingKind, scope: RecordingScope): void {
    this.#scopes.set(kind, scope);
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE when this server cannot record */
  mustBePossible(): Recorder {
    const { recorder } = this.#deps;
    if (recorder) return recorder;
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      'This server has no file storage and cannot record: its operator must configure one.',
    );
  }

  /**
   * Call inside the transaction that marks the room as recorded. Recording starts with go().
   * @throws ParleyError CONFLICT if the wallet's recordings use all the storage it may have, SERVICE_UNAVAILABLE if this server cannot
   * record or this node's disk is full
   */
  async begin(executor: Executor, recording: NewRecording): Promise<RecordingRow> {
    const recorder = this.mustBePossible();
    const { store, limits } = this.#deps;
    if ((await store.bytesOf(executor, recording.host)) >= limits.maxBytesPerWallet)
      throw new ParleyError('CONFLICT', 'This wallet keeps too many recordings: delete some first.');
    if (!(await recorder.hasSpace()))
      throw new ParleyError(
        'SERVICE_UNAVAILABLE',
        'This server has no space for recordings at the moment: try again later.',
      );
    const row = { id: newId('rec'), ...recording, status: 'recording', endReason: null } as const;
    return store.insert(executor, row);
  }

  /**
   * Begins the automatic recording of a room or stream, unless it was recorded before. A failure is stored, and go() reports it to the
   * host.
   */
  async beginOnce(executor: Executor, recording: NewRecording): Promise<RecordingRow | null> {
    const { store, accountEvents, log } = this.#deps;
    if (await store.hasAny(executor, recording.roomId)) return null;
    try {
      return await this.begin(executor, recording);
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      log.warn({ roomId: recording.roomId, err: error }, 'recording not started');
      const failed = { id: newId('rec'), ...recording, status: 'failed', endReason: 'no_space' } as const;
      const row = await store.insert(executor, failed);
      await reportSettled(accountEvents, executor, row);
      return row;
    }
  }

  /** Call after the transaction of begin() or beginOnce(). Notifies everybody in the room and starts recording. */
  go(row: RecordingRow): Promise<void> {
    return row.status === 'failed' ? this.#notifier.notify(row) : this.#running.go(row);
  }

  /** Call when the answer to the transaction of begin() or beginOnce() may have been lost: starts a recording that was stored. */
  async goIfHeld(roomId: string): Promise<void> {
    const row = await this.#deps.store.heldIn(roomId);
    if (row && !this.#running.has(row.id)) await this.go(row);
  }

  /** The recording as its owner sees it. */
  shown(row: RecordingRow): WireRecording {
    return toRecording(row, [], new Map());
  }

  /** Call inside the transaction that ends the call, room or stream. */
  end(executor: Executor, roomId: string, reason: EndReason): Promise<RecordingRow | null> {
    return this.#deps.store.end(executor, { roomId }, reason);
  }

  /** Call with the result of end(), after its transaction. */
  ended(row: RecordingRow): void {
    this.#running.ended(row);
  }

  async list(context: PartyContext, query: RecordingQuery): Promise<WireRecording[]> {
    return this.#notifier.describe(await this.#deps.store.list(context.wallet, query));
  }

  /** The recordings of these rooms that belong to the wallet, newest first, at most ten of each room. */
  async ofRooms({ wallet }: PartyContext, roomIds: string[]): Promise<WireRecording[]> {
    return this.#notifier.describe(await this.#deps.store.ofRooms(wallet, roomIds));
  }

  async get(context: PartyContext, id: string): Promise<WireRecording> {
    const [recording] = await this.#notifier.describe([await this.#own(context, id)]);
    if (!recording) throw noSuchRecording();
    return recording;
  }

  /** @returns the recording, without its files */
  async delete(context: PartyContext, id: string): Promise<WireRecording> {
    const { store, jobs, recorder, log } = this.#deps;
    const row = await this.#own(context, id);
    if (isUnsettled(row))
      throw new ParleyError(
        'CONFLICT',
        'The recording is in progress or being processed: delete it when it is ready.',
      );
    const files = await store.filesOf([id]);
    await store.transaction(async (executor) => {
      await store.discard(executor, id);
      for (const { fileId } of files) await recorder?.discardFile(executor, fileId);
      await jobs.set(executor, tidying, id, new Date());
    });
    log.info({ recordingId: id, wallet: context.wallet }, 'recording deleted');
    return this.shown(row);
  }

  /** Frees the recordings of the dead node, so that other nodes may take them. */
  onNodeDied(nodeId: string): Promise<void> {
    return this.#deps.store.releaseAllOf(nodeId);
  }

  close(): Promise<void> {
    return this.#running.close();
  }

  async #own({ wallet }: PartyContext, id: string): Promise<RecordingRow> {
    const row = await this.#deps.store.own(wallet, id);
    // Recordings of other wallets are reported as not found.
    if (!row) throw noSuchRecording();
    return row;
  }
}

const noSuchRecording = () =>
  new ParleyError('NOT_FOUND', 'There is no such recording: it may have been deleted.', {
    extra: { resource: 'recording' },
  });
