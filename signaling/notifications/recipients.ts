import type { PushMessage } from '../../sdk/protocol/notifications.ts';
import type { DeviceState } from './PushRows.ts';
import type { Subscription } from './Subscriptions.ts';

const isVoip = ({ target }: Subscription) => target.service === 'apns' && target.mode === 'voip';
const isAlert = ({ target }: Subscription) => target.service === 'apns' && target.mode === 'alert';

/**
 * The devices that get a push. An iPhone app has two tokens. The PushKit token is for calls only, because iOS ends an app that it wakes for
 * anything else. For calls, it is used instead of the ordinary token.
 */
export function recipientsOf(all: Subscription[], { kind }: PushMessage): Subscription[] {
  if (kind !== 'call') return all.filter((each) => !isVoip(each));
  const withVoip = new Set(all.filter(isVoip).map(({ sessionId }) => sessionId));
  return all.filter((each) => !(isAlert(each) && withVoip.has(each.sessionId)));
}

/**
 * The devices that get a call's outcome: those that got the push. An iPhone app gets it by its ordinary token instead of the PushKit token.
 */
export function recipientsOfOutcome(
  all: Subscription[],
  devices: Record<string, DeviceState>,
): Subscription[] {
  const wasSent = ({ id }: Subscription) => devices[id] === 'sent' || devices[id] === 'sending';
  const rang = new Set(all.filter((each) => isVoip(each) && wasSent(each)).map(({ sessionId }) => sessionId));
  return all.filter(
    (each) => !isVoip(each) && (wasSent(each) || (isAlert(each) && rang.has(each.sessionId))),
  );
}
