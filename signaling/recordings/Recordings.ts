import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RecordingKind, WireRecording } from '../../sdk/protocol/recordings.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Recorder } from './Recorder.ts';
import type { EndReason, NewRecording, RecordingDeps, RecordingScope } from './RecordingDeps.ts';
import { isUnsettled, RecordingLeases } from './RecordingLeases.ts';
import { RecordingNotifier } from './RecordingNotifier.ts';
import { RecordingMaintenance, tidying } from './RecordingMaintenance.ts';
import { RunningRecordings } from './RunningRecordings.ts';
import type { RecordingRow } from './tables.ts';
import { toRecording } from './toWire.ts';

/**
 * The rules of recordings: who may begin and end them, and who has them. The node that begins one has it (RunningRecordings), as long as it
 * says so (RecordingLeases); what it has recorded another one goes on with, or joins, when it has gone (RecordingMaintenance).
 */
export class Recordings {
  readonly #deps: RecordingDeps;
  readonly #scopes = new Map<RecordingKind, RecordingScope>();
  readonly #leases: RecordingLeases;
  readonly #notifier: RecordingNotifier;
  readonly #running: RunningRecordings;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
    this.#leases = new RecordingLeases(deps);
    this.#notifier = new RecordingNotifier(deps);
    const made = { ...deps, scopes: this.#scopes, leases: this.#leases, notifier: this.#notifier };
    this.#running = new RunningRecordings(made);
    new RecordingMaintenance({ ...made, running: this.#running });
  }

  addScope(kind: RecordingKind, scope: RecordingScope): void {
    this.#scopes.set(kind, scope);
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE where nothing can be recorded */
  mustBePossible(): Recorder {
    const { recorder } = this.#deps;
    if (recorder) return recorder;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'This server takes no files, and so no recordings.');
  }

  /**
   * In the transaction that makes it known to those who are recorded. Nothing is recorded before go().
   * @throws ParleyError CONFLICT when the wallet keeps too much, SERVICE_UNAVAILABLE also where this node's disk is full
   */
  async begin(executor: Executor, recording: NewRecording): Promise<RecordingRow> {
    const recorder = this.mustBePossible();
    const { store, limits } = this.#deps;
    if ((await store.bytesOf(executor, recording.host)) >= limits.maxBytesPerWallet)
      throw new ParleyError('CONFLICT', 'This wallet keeps too many recordings: delete some of them first.');
    if (!(await recorder.hasSpace()))
      throw new ParleyError('SERVICE_UNAVAILABLE', 'This server has no space for recordings at the moment.');
    const row = { id: newId('rec'), ...recording, status: 'recording', endReason: null } as const;
    return this.#leases.insert(executor, row);
  }

  /** Of a stream: the first time it is live. What can't be recorded is noted: go() says so to its host. */
  async beginOnce(executor: Executor, recording: NewRecording): Promise<RecordingRow | null> {
    const { store, log } = this.#deps;
    if (await store.hasAny(executor, recording.roomId)) return null;
    try {
      return await this.begin(executor, recording);
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      log.warn({ roomId: recording.roomId, err: error }, 'not recorded');
      const failed = { id: newId('rec'), ...recording, status: 'failed', endReason: 'no_space' } as const;
      return store.insert(executor, failed, 0);
    }
  }

  /** Once that transaction has ended: everybody there is told, and it is recorded. */
  go(row: RecordingRow): Promise<void> {
    return row.status === 'failed' ? this.#notifier.tell(row) : this.#running.go(row);
  }

  /** As its host sees it. */
  shown(row: RecordingRow): WireRecording {
    return toRecording(row, [], new Map());
  }

  /** In the transaction by which what is recorded ends. */
  end(executor: Executor, roomId: string, reason: EndReason): Promise<RecordingRow | null> {
    return this.#deps.store.end(executor, { roomId }, reason);
  }

  /** Once that transaction has ended. */
  ended(row: RecordingRow): void {
    this.#running.ended(row);
  }

  async list(context: RequestContext, query: RequestOf<'recordings.list'>): Promise<WireRecording[]> {
    return this.#notifier.describe(await this.#deps.store.list(context.wallet, query));
  }

  async get(context: RequestContext, id: string): Promise<WireRecording> {
    const [recording] = await this.#notifier.describe([await this.#own(context, id)]);
    if (!recording) throw noSuchRecording();
    return recording;
  }

  async delete(context: RequestContext, id: string): Promise<void> {
    const { store, jobs, recorder, log } = this.#deps;
    const row = await this.#own(context, id);
    if (isUnsettled(row))
      throw new ParleyError(
        'CONFLICT',
        'It is being recorded, or made ready: delete it when that has ended.',
      );
    const files = await store.filesOf([id]);
    await store.transaction(async (executor) => {
      await store.discard(executor, id);
      for (const { fileId } of files) await recorder?.discardFile(executor, fileId);
      await jobs.set(executor, tidying, id, new Date());
    });
    log.info({ recordingId: id, wallet: context.wallet }, 'recording deleted');
  }

  /** What it recorded is for others now. */
  onNodeDied(nodeId: string): Promise<void> {
    return this.#leases.releaseAllOf(nodeId);
  }

  close(): Promise<void> {
    return this.#running.close();
  }

  async #own({ wallet }: RequestContext, id: string): Promise<RecordingRow> {
    const row = await this.#deps.store.own(wallet, id);
    // Other people's recordings don't exist.
    if (!row) throw noSuchRecording();
    return row;
  }
}

const noSuchRecording = () => new ParleyError('NOT_FOUND', 'There is no such recording.');
