import type { WireVoicemail } from '../../sdk/protocol/voicemail.ts';
import type { Executor } from '../Executor.ts';
import type { Notifier } from '../Notifier.ts';
import type { VoicemailRow } from './tables.ts';

/** The one place that tells a recipient of a voicemail. */
export class VoicemailNews {
  readonly #notifier: Notifier;

  constructor(notifier: Notifier) {
    this.#notifier = notifier;
  }

  /** In the transaction that makes it ready: for devices that are away, this is where it goes into a log of events. */
  append(_tx: Executor, _row: VoicemailRow): Promise<void> {
    return Promise.resolve();
  }

  /** Once it is ready; again, if the process died just then. This is where a push of the kind `voicemail` goes out, too. */
  tell(voicemail: WireVoicemail): void {
    this.#notifier.toWallet(voicemail.to, 'voicemail:received', voicemail);
  }
}
