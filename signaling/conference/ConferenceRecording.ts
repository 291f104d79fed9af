import type { WireRecording } from '../../sdk/protocol/recordings.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingScope } from '../recordings/RecordingDeps.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { mustHost } from './permissions.ts';
import type { RoomRow } from './tables.ts';

/** Recordings of rooms, made by hosts. Everybody in the room is always notified. */
export class ConferenceRecording implements RecordingScope {
  readonly #deps: ConferenceDeps;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    deps.recordings.addScope('conference', this);
  }

  /** The recording belongs to the wallet that starts it. A guest has no recordings, so what it starts belongs to the room's creator. */
  async start(context: PartyContext, roomId: string): Promise<WireRecording> {
    const { store, recordings } = this.#deps;
    const row = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context);
      if (room.status !== 'active')
        throw new ParleyError('CONFLICT', 'An empty room cannot be recorded: join it first.');
      if (room.recordedBy)
        throw new ParleyError('CONFLICT', 'The room is being recorded already: stop that recording first.');
      const host = context.guest ? room.host : context.wallet;
      const begun = { kind: 'conference', roomId, host, title: room.name } as const;
      const recording = await recordings.begin(executor, begun);
      await store.changeRoom(executor, roomId, { recordedBy: host });
      return recording;
    });
    await recordings.go(row);
    return recordings.shown(row);
  }

  /** Any host may stop a recording, even one that another host has started. */
  async stop(context: PartyContext, roomId: string): Promise<void> {
    const { store, recordings } = this.#deps;
    const row = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context);
      if (!room.recordedBy)
        throw new ParleyError('CONFLICT', 'The room is not being recorded: start a recording first.');
      await this.clear(executor, roomId);
      return recordings.end(executor, roomId, 'stopped');
    });
    if (!row) return;
    this.notify(row, false);
    recordings.ended(row);
  }

  async isRunning(roomId: string): Promise<boolean> {
    return (await this.#deps.store.room(roomId)).status === 'active';
  }

  lock(executor: Executor, roomId: string): Promise<RoomRow> {
    return this.#deps.store.lockRoom(executor, roomId);
  }

  async clear(executor: Executor, roomId: string): Promise<void> {
    await this.#deps.store.changeRoom(executor, roomId, { recordedBy: null });
  }

  notify({ roomId, host: by }: RecordingRow, recording: boolean): void {
    this.#deps.notifier.recording({ roomId, recording, by });
  }
}
