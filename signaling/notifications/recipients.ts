import type { PushMessage } from '../../sdk/protocol/notifications.ts';
import type { DeviceState } from './PushRows.ts';
import type { Subscription } from './Subscriptions.ts';

const isVoip = ({ target }: Subscription) => target.service === 'apns' && target.mode === 'voip';
const isAlert = ({ target }: Subscription) => target.service === 'apns' && target.mode === 'alert';

/**
 * The targets of a push. An iPhone app has two tokens: PushKit's is for calls only (iOS ends an app that it wakes for anything
 * else), and for calls it replaces the other one.
 */
export function recipientsOf(all: Subscription[], { kind }: PushMessage): Subscription[] {
  if (kind !== 'call') return all.filter((each) => !isVoip(each));
  const withVoip = new Set(all.filter(isVoip).map(({ sessionId }) => sessionId));
  return all.filter((each) => !(isAlert(each) && withVoip.has(each.sessionId)));
}

/** The targets of a call's outcome: devices that got the push, by the app's ordinary token instead of PushKit's. */
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
