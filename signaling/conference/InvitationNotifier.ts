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

/** The one place that tells wallets of invitations: devices that are connected, that come back, and that sleep. */
export class InvitationNotifier {
  readonly #deps: InvitationNotifierDeps;

  constructor(deps: InvitationNotifierDeps) {
    this.#deps = deps;
  }

  /** Makes what is told of what is stored then. @param describe null where there is nothing left to come to */
  render(describe: (stored: Invitation[]) => Promise<(EventOf<'conference:invited'> | null)[]>): void {
    this.#deps.events.render('conference:invited', (_wallet, stored) => describe(stored as Invitation[]));
  }

  /** In the transaction that invites, as its last statement. Afterwards, tell(). */
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

  tell(appended: AppendedEvent[]): Promise<void> {
    return this.#deps.events.tell(appended);
  }
}
