import type { Executor } from '../../../platform/database/Executor.ts';
import type { Charge } from '../../http/Route.ts';

/** Who brings a code to a phone: the port between verifications and whatever sends texts. */
export interface CodeSender {
  /** Whether it can also call and read the code out. */
  readonly calls: boolean;

  /** Throws what send() would refuse, before anything is paid. */
  check(executor: Executor, to: string): Promise<void>;

  /**
   * Resolves when the text is in hands that lose nothing: stored, or taken by the carrier. The text is never logged.
   * @param reference names this text (`vrf_…`): the same is sent once
   * @throws ParleyError when it was certainly not sent (unsupported_destination, recipient_opted_out, service_unavailable)
   */
  send(text: OutgoingCode): Promise<void>;

  /** Whether send() was done, after its process died in the middle. */
  wasSent(reference: string): Promise<boolean>;
}

export interface OutgoingCode {
  reference: string;
  /** null: of a one-off payer. */
  accountId: string | null;
  to: string;
  text: string;
  channel: 'sms' | 'call';
  /** What it is paid with, for a sender that gives it back where the code never leaves. */
  charge: Charge | null;
}
