import type { Executor } from '../../../platform/database/Executor.ts';
import type { Charge } from '../../http/Route.ts';

/** The port between verifications and the module that sends texts. */
export interface CodeSender {
  /** Whether it can also call and read the code aloud. */
  readonly calls: boolean;

  /** Throws the error with which send() would refuse, before anything is paid. */
  check(executor: Executor, to: string): Promise<void>;

  /**
   * Resolves when the text is stored, or accepted by the carrier. The text is never logged. A text with the same reference (`vrf_…`) is
   * sent once.
   * @throws ParleyError if it was certainly not sent (unsupported_destination, recipient_opted_out, service_unavailable)
   */
  send(text: OutgoingCode): Promise<void>;

  /** Whether send() succeeded, if its process died during the call. */
  wasSent(reference: string): Promise<boolean>;
}

export interface OutgoingCode {
  reference: string;
  /** null for an x402 payer. */
  accountId: string | null;
  to: string;
  text: string;
  channel: 'sms' | 'call';
  /** The charge that pays for it. The sender refunds it if the code is never sent. */
  charge: Charge | null;
}
