import type { Address } from '../../sdk/protocol/common.ts';
import type { EventOf } from '../../sdk/protocol/wire.ts';
import type { AppendedEvent, EventLog } from '../events/EventLog.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Pushes } from '../notifications/Pushes.ts';

export interface Invitation {
  roomId: string;
  from: Address;
}

interface InvitationNotifierDeps {
  events: EventLog;
  pushes: Pushes;
}

/** Sends invitations: to connected devices, to devices that connect later, and by push. */
export class InvitationNotifier {
  readonly #deps: InvitationNotifierDeps;

  constructor(deps: InvitationNotifierDeps) {
    this.#deps = deps;
  }

  /** Sets how events are built from stored invitations. @param describe returns null for an invitation to a room that has ended */
  render(describe: (stored: Invitation[]) => Promise<(EventOf<'conference:invited'> | null)[]>): void {
    this.#deps.events.render('conference:invited', (_wallet, stored) => describe(stored as Invitation[]));
  }

  /** Call as the last statement of the transaction that invites, and pass the result to deliver() after the commit. */
  async append(executor: Executor, wallets: Address[], invitation: Invitation): Promise<AppendedEvent[]> {
    const { events, pushes } = this.#deps;
    const { roomId: subject, from } = invitation;
    const offers = wallets.map((wallet) => ({ wallet, kind: 'conferenceInvite' as const, subject, from }));
    await pushes.offer(executor, ...offers);
    return events.append(
      executor,
      wallets.map((wallet) => ({ wallet, event: 'conference:invited' as const, payload: invitation })),
    );
  }

  deliver(appended: AppendedEvent[]): Promise<void> {
    return this.#deps.events.deliver(appended);
  }
}
