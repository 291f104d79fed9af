import type { PushMessage } from '../../sdk/protocol/notifications.ts';
import type { DeviceState } from './PushRows.ts';
import type { Subscription } from './Subscriptions.ts';

const isVoip = ({ target }: Subscription) => target.service === 'apns' && target.mode === 'voip';
const isAlert = ({ target }: Subscription) => target.service === 'apns' && target.mode === 'alert';

/**
 * Whom a push goes to. An iPhone's app has two tokens: PushKit's is for calls alone (the system ends an app that it wakes for
 * anything else), and where it has one, the other is not told of a call too.
 */
export function recipientsOf(all: Subscription[], { kind }: PushMessage): Subscription[] {
  if (kind !== 'call') return all.filter((each) => !isVoip(each));
  const withVoip = new Set(all.filter(isVoip).map(({ sessionId }) => sessionId));
  return all.filter((each) => !(isAlert(each) && withVoip.has(each.sessionId)));
}

/** Whom the outcome of a call goes to: those that were told of it; in place of PushKit's token, the same app's other one. */
export function recipientsOfOutcome(
  all: Subscription[],
  devices: Record<string, DeviceState>,
): Subscription[] {
  const wasTold = ({ id }: Subscription) => devices[id] === 'sent' || devices[id] === 'sending';
  const rang = new Set(all.filter((each) => isVoip(each) && wasTold(each)).map(({ sessionId }) => sessionId));
  return all.filter(
    (each) => !isVoip(each) && (wasTold(each) || (isAlert(each) && rang.has(each.sessionId))),
  );
}
