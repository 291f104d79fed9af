import type { Executor } from '../../../platform/database/Executor.ts';
import type { Charge } from '../../http/Route.ts';

/** The port between verifications and the module that sends texts. */
export interface CodeSender {
  /** Whether it can also make a call and read the code aloud. */
  readonly calls: boolean;

  /** Throws the error that send() would refuse with. Called before anything is paid. */
  check(executor: Executor, to: string): Promise<void>;

  /**
   * Resolves when the text is stored or accepted by the carrier. The text is never logged. If this is called again with the same reference
   * (`vrf_…`), the text is not sent again.
   * @throws ParleyError if it was certainly not sent (unsupported_destination, recipient_opted_out, service_unavailable)
   */
  send(text: OutgoingCode): Promise<void>;

  /** Whether send() succeeded. Called if the process that ran send() died before it returned. */
  wasSent(reference: string): Promise<boolean>;
}

export interface OutgoingCode {
  reference: string;
  /** null for an x402 payer. */
  accountId: string | null;
  to: string;
  text: string;
  channel: 'sms' | 'call';
  /** The charge that pays for the code. The sender refunds it if the code is never sent. */
  charge: Charge | null;
}
