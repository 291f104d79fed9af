import type { Address } from '../../sdk/protocol/common.ts';
import type { WireRecording } from '../../sdk/protocol/recordings.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { RecordingScope } from '../recordings/RecordingDeps.ts';
import type { Recordings } from '../recordings/Recordings.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import { partyOf, type CallStore } from './CallStore.ts';
import { noSuchCall } from './refusals.ts';
import type { CallRow } from './tables.ts';

interface CallRecordingDeps {
  store: CallStore;
  recordings: Recordings;
  notifier: Notifier;
}

/** Recordings of calls. Either party may record a call, and owns the recording. Both parties are always notified. */
export class CallRecording implements RecordingScope {
  readonly #deps: CallRecordingDeps;

  constructor(deps: CallRecordingDeps) {
    this.#deps = deps;
    deps.recordings.addScope('call', this);
  }

  async start(context: RequestContext, callId: string): Promise<WireRecording> {
    const { store, recordings } = this.#deps;
    const row = await store.changing(callId, async (executor) => {
      const call = await this.#ownCall(executor, context, callId);
      if (call.status !== 'active')
        throw new ParleyError('CONFLICT', 'Only an active call can be recorded: wait until it is answered.');
      if (call.recordedBy)
        throw new ParleyError('CONFLICT', 'The call is being recorded already: stop that recording first.');
      const begun = { kind: 'call', roomId: callId, host: context.wallet, title: '' } as const;
      const recording = await recordings.begin(executor, begun);
      await store.change(executor, call, { recordedBy: context.wallet });
      return recording;
    });
    await recordings.go(row);
    return recordings.shown(row);
  }

  /** Only the recording party may stop it. */
  async stop(context: RequestContext, callId: string): Promise<void> {
    const { store, recordings } = this.#deps;
    const row = await store.changing(callId, async (executor) => {
      const call = await this.#ownCall(executor, context, callId);
      if (call.recordedBy !== context.wallet)
        throw new ParleyError(
          'CONFLICT',
          'This wallet is not recording the call: only the party that records can stop it.',
        );
      await this.clear(executor, callId);
      return recordings.end(executor, callId, 'stopped');
    });
    if (!row) return;
    await this.notify(row, false);
    recordings.ended(row);
  }

  async isRunning(callId: string): Promise<boolean> {
    return (await this.#deps.store.find(callId))?.status === 'active';
  }

  lock(executor: Executor, callId: string): Promise<CallRow | null> {
    return this.#deps.store.lock(executor, callId);
  }

  async clear(executor: Executor, callId: string): Promise<void> {
    const { store } = this.#deps;
    const call = await store.lock(executor, callId);
    if (call) await store.change(executor, call, { recordedBy: null });
  }

  async notify({ roomId: callId, host: by }: RecordingRow, recording: boolean): Promise<void> {
    const { store, notifier } = this.#deps;
    // Only wallets take part in calls.
    const call = await store.find(callId);
    for (const wallet of call ? [call.caller, call.callee] : [])
      notifier.toWallet(wallet, 'call:recording', { callId, recording, by: by as Address });
  }

  async #ownCall(executor: Executor, { wallet }: RequestContext, callId: string): Promise<CallRow> {
    const call = await this.#deps.store.lock(executor, callId);
    if (!call || !partyOf(call, wallet)) throw noSuchCall();
    return call;
  }
}
