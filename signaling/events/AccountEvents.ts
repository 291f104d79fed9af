import type { Executor } from '../../platform/database/Executor.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { RealtimeEventType } from '../../sdk/protocol/webhookEvents.ts';

export interface AccountEvent {
  type: RealtimeEventType;
  /** The event as the webhook shows it: see the schemas in sdk/protocol/webhookData.ts. */
  data: object;
}

/** The room, stream or call that events are about, and the party whose account gets them. */
export interface EventSubject {
  id: string;
  /** The host of the room or stream; for a call, one of its parties. A guest has no account. */
  owner: PartyId;
}

/** Reports what happens in the rooms, streams and calls of an account to its webhook endpoints. */
export interface AccountEvents {
  /**
   * Stores events, numbers them in this order, and queues them for the endpoints of the owner's account. Call it inside the transaction that
   * makes the change, after the statements of the change, so that either both are committed or neither is, and events of one subject are
   * numbered in the order of the changes.
   * @param describe builds the events; called only if the account has an endpoint
   */
  emit(
    executor: Executor,
    subject: EventSubject,
    describe: () => AccountEvent[] | Promise<AccountEvent[]>,
  ): Promise<void>;
}

/** For a server without webhooks. */
export const noAccountEvents: AccountEvents = { emit: () => Promise.resolve() };
