import type { WireVoicemail } from '../../sdk/protocol/voicemail.ts';
import type { AppendedEvent, EventLog } from '../events/EventLog.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { VoicemailRow } from './tables.ts';

interface VoicemailNotifierDeps {
  events: EventLog;
  pushes: Pushes;
}

/** Notifies recipients of voicemails: on connected devices, on devices that connect later, and by push. */
export class VoicemailNotifier {
  readonly #deps: VoicemailNotifierDeps;

  constructor(deps: VoicemailNotifierDeps) {
    this.#deps = deps;
  }

  /** Sets how events are built from stored ids. @param describe returns null for a voicemail that was deleted */
  render(describe: (ids: string[]) => Promise<(WireVoicemail | null)[]>): void {
    this.#deps.events.render('voicemail:received', (_wallet, stored) =>
      describe(stored.map((each) => (each as { id: string }).id)),
    );
  }

  /** Call inside the transaction that makes the voicemail ready, and pass the result to deliver() after the commit. */
  async append(tx: Executor, { id, sender, recipient }: VoicemailRow): Promise<AppendedEvent[]> {
    const { events, pushes } = this.#deps;
    await pushes.offer(tx, { wallet: recipient, kind: 'voicemail', subject: id, from: sender });
    return events.append(tx, [{ wallet: recipient, event: 'voicemail:received', payload: { id } }]);
  }

  deliver(appended: AppendedEvent[]): Promise<void> {
    return this.#deps.events.deliver(appended);
  }
}
