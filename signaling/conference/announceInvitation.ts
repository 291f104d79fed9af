import type { Address } from '../../sdk/protocol/common.ts';
import type { Executor } from '../Executor.ts';

export interface Invitation {
  roomId: string;
  from: Address;
  wallet: Address;
}

/**
 * In the transaction that invites: what is to reach a wallet that is not connected is written here. Connected devices hear
 * `conference:invited` when the transaction is done.
 */
export type AnnounceInvitation = (executor: Executor, invitation: Invitation) => Promise<void>;
