import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { RecordingKind, WireRecording } from '../../sdk/protocol/recordings.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Caller, ParleyServer } from '../Caller.ts';
import type { DueRow, DueRows } from '../due/DueRows.ts';
import type { Executor } from '../Executor.ts';
import type { Notifier } from '../Notifier.ts';
import type { ActiveRecording, Recorder } from './Recorder.ts';
import type { RecordingStore } from './RecordingStore.ts';
import type { RecordingRow } from './tables.ts';
import { toRecording } from './toWire.ts';

export interface RecordingLimits {
  /** Of one recording. */
  maxSeconds: number;
  maxBytes: number;
  /** All that a wallet keeps. */
  maxBytesPerWallet: number;
}

interface RecordingsDeps {
  io: ParleyServer;
  store: RecordingStore;
  due: DueRows;
  notifier: Notifier;
  /** Null where this installation has no place for files. */
  recorder: Recorder | null;
  limits: RecordingLimits;
  /** There are no other nodes. */
  isAlone: boolean;
  log: Logger;
}

/** What streams, conferences and calls know of themselves. */
export interface RecordingScope {
  /** Whether it goes on. */
  isRunning(roomId: string): Promise<boolean>;
  /** In the transaction that ends the recording, of what goes on without. */
  clear(executor: Executor, roomId: string): Promise<void>;
  /** Everybody in there hears it: before anything is recorded, and when nothing is any more. */
  tell(recording: RecordingRow, isRecording: boolean): Promise<void> | void;
}

/** What is to be recorded. */
export interface NewRecording {
  kind: RecordingKind;
  roomId: string;
  host: Address;
  title: string;
}

type EndReason = 'stopped' | 'over' | 'too_long' | 'too_large' | 'no_space';

/** It is to be looked after: the node that has it has gone, or it is to be joined. And: its parts are of no more use. */
const kinds = { look: 'recording', tidy: 'recording.tidy' } as const;
/** A node that says nothing for so long has it no more. */
const heldSeconds = 30;
const renewMs = 5_000;
const mostAttempts = 5;
const retrySeconds = 5;

/**
 * The rules of recordings: who has them, and what becomes of them. The node that begins one has it, as long as it says so; what it has
 * recorded another one goes on with, or joins, when it has gone.
 */
export class Recordings {
  readonly #deps: RecordingsDeps;
  readonly #scopes = new Map<RecordingKind, RecordingScope>();
  /** Those this node records. */
  readonly #active = new Map<string, ActiveRecording>();
  /** Those it stops, or joins. */
  readonly #busy = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  /** What this node recorded in its former life is in the storage. */
  readonly #recovered: Promise<void>;

  constructor(deps: RecordingsDeps) {
    this.#deps = deps;
    if (deps.recorder) {
      deps.due.on(kinds.look, (row) => this.#onDue(row));
      deps.due.on(kinds.tidy, (row) => this.#onTidy(row));
    }
    deps.io.on('recording:changed', (id) => void this.#stopIfOver(id));
    this.#timer = setInterval(() => void this.#renewAll(), renewMs).unref();
    this.#recovered = this.#recover();
  }

  addScope(kind: RecordingKind, scope: RecordingScope): void {
    this.#scopes.set(kind, scope);
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE where nothing can be recorded */
  mustBePossible(): void {
    if (!this.#deps.recorder)
      throw new ParleyError('SERVICE_UNAVAILABLE', 'This server takes no files, and so no recordings.');
  }

  /**
   * In the transaction that makes it known to those who are recorded. Nothing is recorded before go().
   * @throws ParleyError CONFLICT when the wallet keeps too much, SERVICE_UNAVAILABLE
   */
  async begin(executor: Executor, recording: NewRecording): Promise<RecordingRow> {
    this.mustBePossible();
    const { store, due, limits } = this.#deps;
    if ((await store.bytesOf(executor, recording.host)) >= limits.maxBytesPerWallet)
      throw new ParleyError('CONFLICT', 'This wallet keeps too many recordings: delete some of them first.');
    const row = { id: newId('rec'), ...recording, status: 'recording', endReason: null } as const;
    const made = await store.insert(executor, row, heldSeconds);
    await due.set(executor, kinds.look, made.id, inSeconds(heldSeconds + 1));
    return made;
  }

  /** Of a stream: the first time it is live, and what can't be recorded is noted. */
  async beginOnce(executor: Executor, recording: NewRecording): Promise<RecordingRow | null> {
    const { store, log } = this.#deps;
    if (await store.hasAny(executor, recording.roomId)) return null;
    try {
      return await this.begin(executor, recording);
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      log.warn({ roomId: recording.roomId, err: error }, 'not recorded');
      const failed = { id: newId('rec'), ...recording, status: 'failed', endReason: 'no_space' } as const;
      await store.insert(executor, failed, 0);
      return null;
    }
  }

  /** Once that transaction has ended: everybody there is told, and it is recorded. */
  async go(row: RecordingRow): Promise<void> {
    const { recorder, log } = this.#deps;
    const { id: recordingId, kind, roomId } = row;
    if (!recorder) return;
    try {
      await this.#scopes.get(kind)?.tell(row, true);
    } catch (err) {
      // Nobody is recorded without knowing it: whoever looks after it tries again.
      log.error({ err, recordingId }, 'not recorded yet');
      return;
    }
    if (this.#active.has(recordingId)) return;
    log.info({ recordingId, kind, roomId }, 'recording');
    this.#active.set(recordingId, recorder.begin(row));
    void this.#tell(row);
    // Ended before it had begun.
    await this.#stopIfOver(recordingId);
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
    const { io, isAlone, log } = this.#deps;
    log.info({ recordingId: row.id, endReason: row.endReason }, 'recording ends');
    void this.#tell(row);
    void this.#stopIfOver(row.id);
    if (!isAlone) io.serverSideEmit('recording:changed', row.id);
  }

  async list(caller: Caller, query: RequestOf<'recordings.list'>): Promise<WireRecording[]> {
    return this.#describe(await this.#deps.store.list(caller.wallet, query));
  }

  async get(caller: Caller, id: string): Promise<WireRecording> {
    const [recording] = await this.#describe([await this.#own(caller, id)]);
    if (!recording) throw noSuchRecording();
    return recording;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    const { store, due, recorder, log } = this.#deps;
    const row = await this.#own(caller, id);
    if (isUnsettled(row))
      throw new ParleyError(
        'CONFLICT',
        'It is being recorded, or made ready: delete it when that has ended.',
      );
    const files = await store.filesOf([id]);
    await store.transaction(async (executor) => {
      await store.discard(executor, id);
      for (const { fileId } of files) await recorder?.discardFile(executor, fileId);
      await due.set(executor, kinds.tidy, id, new Date());
    });
    log.info({ recordingId: id, wallet: caller.wallet }, 'recording deleted');
  }

  /** What it recorded is for others now. */
  async onNodeDied(nodeId: string): Promise<void> {
    for (const id of await this.#deps.store.releaseAllOf(nodeId)) await this.#lookAt(id, 0);
  }

  /** Brings what it has into the storage; another node goes on, or this one in its next life. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const { store, log } = this.#deps;
    await Promise.all(
      [...this.#active].map(async ([id, active]) => {
        this.#active.delete(id);
        this.#busy.add(id);
        await active.stop();
        await store.release(id);
        await this.#lookAt(id, 0);
      }),
    ).catch((err: unknown) => log.warn({ err }, 'recordings not closed'));
  }

  async #own({ wallet }: Caller, id: string): Promise<RecordingRow> {
    const row = await this.#deps.store.own(wallet, id);
    // Other people's recordings don't exist.
    if (!row) throw noSuchRecording();
    return row;
  }

  async #recover(): Promise<void> {
    const { recorder, store, log } = this.#deps;
    try {
      for (const { recordingId, nodeId } of (await recorder?.recover()) ?? []) {
        await store.release(recordingId, nodeId);
        await this.#lookAt(recordingId, 0);
      }
    } catch (err) {
      log.error({ err }, 'what a former process recorded was not brought into the storage');
    }
  }

  async #onDue({ subject: id }: DueRow): Promise<void> {
    const { store } = this.#deps;
    await this.#recovered;
    const isOurs = this.#active.has(id) || this.#busy.has(id);
    const row = isOurs ? null : await store.hold(id, heldSeconds);
    if (row?.status === 'recording') return this.#takeUp(row);
    if (row) return this.#join(row);
    const now = await store.find(id);
    if (!now || !isUnsettled(now)) return;
    const freeInMs = (now.heldUntil?.getTime() ?? 0) - Date.now();
    await this.#lookAt(id, isOurs ? heldSeconds : Math.max(1, freeInMs / 1_000 + 1));
  }

  /** Whoever recorded it has gone. */
  async #takeUp(row: RecordingRow): Promise<void> {
    const { store } = this.#deps;
    const scope = this.#scopes.get(row.kind);
    if (await isRunning(scope, row.roomId)) {
      await this.#lookAt(row.id, heldSeconds + 1);
      return this.go(row);
    }
    const ended = await store.transaction((executor) => store.end(executor, { id: row.id }, 'over'));
    if (ended) await this.#join(ended);
  }

  async #join(row: RecordingRow): Promise<void> {
    const { store, due, recorder, log } = this.#deps;
    const { id } = row;
    if (!recorder) return;
    this.#busy.add(id);
    const renewing = setInterval(() => void this.#keep(id), renewMs);
    try {
      const joined = await recorder.finish(row);
      const settled = joined
        ? ({ status: 'ready', ...joined } as const)
        : ({ status: 'failed', durationSeconds: 0, sizeBytes: 0, endReason: 'nothing_recorded' } as const);
      await this.#settle(id, settled);
      log.info({ recordingId: id, ...settled }, 'recording settled');
    } catch (err) {
      log.error({ err, recordingId: id }, 'parts of a recording were not joined');
      await store.countFailure(id);
      if (row.attempts + 1 >= mostAttempts)
        return await this.#settle(id, {
          ...{ status: 'failed', durationSeconds: null, sizeBytes: null, endReason: 'not_joined' },
        });
      await store.release(id);
      await store.transaction((tx) =>
        due.set(tx, kinds.look, id, inSeconds(retrySeconds * 2 ** row.attempts)),
      );
    } finally {
      clearInterval(renewing);
      this.#busy.delete(id);
    }
  }

  async #settle(id: string, settled: Parameters<RecordingStore['settle']>[2]): Promise<void> {
    const { store, due } = this.#deps;
    const row = await store.transaction(async (executor) => {
      const done = await store.settle(executor, id, settled);
      if (!done) return null;
      await due.cancel(executor, kinds.look, id);
      // What could not be joined is kept for somebody to look at, until it is deleted.
      if (done.endReason !== 'not_joined') await due.set(executor, kinds.tidy, id, new Date());
      return done;
    });
    if (row) await this.#tell(row);
  }

  async #onTidy({ subject: id }: DueRow): Promise<void> {
    const { store, recorder } = this.#deps;
    await recorder?.discardParts(id);
    await store.removeParts(id);
    if ((await store.find(id))?.discardedAt) await store.remove(id);
  }

  async #renewAll(): Promise<void> {
    for (const [id, active] of this.#active) {
      try {
        await this.#renew(id, active);
      } catch (err) {
        this.#deps.log.warn({ err, recordingId: id }, 'a recording was not looked at');
      }
    }
  }

  /** It is still this node's; and it is not to go on for ever. */
  async #renew(id: string, active: ActiveRecording): Promise<void> {
    const { recorder, limits } = this.#deps;
    const row = await this.#keep(id);
    // Another node has it: what this one has recorded is a part of it all the same.
    if (!row) {
      this.#active.delete(id);
      return active.stop();
    }
    if (row.status !== 'recording') return this.#stopIfOver(id);
    const tooLong = Date.now() - row.startedAt.getTime() > limits.maxSeconds * 1_000;
    const reason = tooLong
      ? 'too_long'
      : active.bytes > limits.maxBytes
        ? 'too_large'
        : (await recorder?.hasSpace())
          ? null
          : 'no_space';
    if (reason) await this.#endAtLimit(row, reason);
  }

  async #endAtLimit(row: RecordingRow, reason: EndReason): Promise<void> {
    const { store } = this.#deps;
    const scope = this.#scopes.get(row.kind);
    const ended = await store.transaction(async (executor) => {
      const over = await store.end(executor, { id: row.id }, reason);
      if (over) await scope?.clear(executor, row.roomId);
      return over;
    });
    if (!ended) return;
    this.ended(ended);
    await scope?.tell(ended, false);
  }

  async #keep(id: string): Promise<RecordingRow | null> {
    const row = await this.#deps.store.keep(id, heldSeconds);
    if (row) await this.#lookAt(id, heldSeconds + 1);
    return row;
  }

  /** Nothing happens where it goes on, or is another node's. */
  async #stopIfOver(id: string): Promise<void> {
    const { store, log } = this.#deps;
    const active = this.#active.get(id);
    if (!active || this.#busy.has(id)) return;
    this.#busy.add(id);
    try {
      if ((await store.find(id))?.status === 'recording') return;
      await active.stop();
      this.#active.delete(id);
      await store.release(id);
      await this.#lookAt(id, 0);
    } catch (err) {
      log.error({ err, recordingId: id }, 'a recording was not stopped');
    } finally {
      this.#busy.delete(id);
    }
  }

  #lookAt(id: string, seconds: number): Promise<void> {
    const { store, due } = this.#deps;
    return store.transaction((executor) => due.set(executor, kinds.look, id, inSeconds(seconds)));
  }

  async #tell(row: RecordingRow): Promise<void> {
    try {
      const [recording] = await this.#describe([row]);
      if (recording) this.#deps.notifier.toWallet(row.host, 'recording:updated', recording);
    } catch (err) {
      this.#deps.log.warn({ err, recordingId: row.id }, 'who has a recording was not told of it');
    }
  }

  async #describe(rows: RecordingRow[]): Promise<WireRecording[]> {
    const ready = rows.filter(({ status }) => status === 'ready').map(({ id }) => id);
    const files = await this.#deps.store.filesOf(ready);
    const media = await this.#deps.recorder?.describe(files.map(({ fileId }) => fileId));
    return rows.map((row) => {
      const own = files.filter(({ recordingId }) => recordingId === row.id);
      return toRecording(row, own, media ?? new Map<string, WireMediaInfo>());
    });
  }
}

/** What is not there any more does not go on. */
async function isRunning(scope: RecordingScope | undefined, roomId: string): Promise<boolean> {
  try {
    return (await scope?.isRunning(roomId)) ?? false;
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

const isUnsettled = ({ status }: RecordingRow) => status === 'recording' || status === 'processing';
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const noSuchRecording = () => new ParleyError('NOT_FOUND', 'There is no such recording.');
