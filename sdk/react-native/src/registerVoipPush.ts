import type { Parley } from '@parley/sdk';
import type { SystemCalls } from './SystemCalls.ts';

/** The part of react-native-voip-push-notification that registerVoipPush() uses. */
export interface VoipPush {
  addEventListener(type: 'register', handler: (token: string) => void): void;
  addEventListener(type: 'notification', handler: (payload: object) => void): void;
  addEventListener(
    type: 'didLoadWithEvents',
    handler: (events: { name: string; data: unknown }[]) => void,
  ): void;
  removeEventListener(type: 'register' | 'notification' | 'didLoadWithEvents'): void;
  registerVoipToken(): void;
}

/** Whether what came before this code ran was handled. The package reports it again when it gets its first listener again. */
let areEarlyHandled = false;

/**
 * Registers an iPhone for incoming calls by PushKit, and shows those that arrive. Call it each time the app starts and is signed in.
 * The phone's call screen must be shown by native code when the push arrives: see the guide.
 * @param client the client
 * @param options.voipPush the default export of react-native-voip-push-notification
 * @param options.calls shows the calls
 * @param options.onError called when the server cannot be reached or does not use APNs. Default: nothing
 * @returns a function that stops this. The registration stays until the session ends: see `client.notifications.unregister()`
 */
export function registerVoipPush(
  client: Parley,
  options: { voipPush: VoipPush; calls: SystemCalls; onError?: (error: unknown) => void },
): () => void {
  const { voipPush, calls, onError = () => undefined } = options;
  const onToken = (apns: string) => {
    client.notifications.register({ apns, mode: 'voip' }).catch(onError);
  };
  const onPush = (payload: object) => {
    const { parley } = payload as { parley?: object };
    if (parley) calls.wake(parley).catch(onError);
  };
  voipPush.addEventListener('didLoadWithEvents', (events) => {
    if (areEarlyHandled) return;
    areEarlyHandled = true;
    for (const { name, data } of events) {
      if (name === 'RNVoipPushRemoteNotificationsRegisteredEvent') onToken(data as string);
      if (name === 'RNVoipPushRemoteNotificationReceivedEvent') onPush(data as object);
    }
  });
  voipPush.addEventListener('register', onToken);
  voipPush.addEventListener('notification', onPush);
  voipPush.registerVoipToken();
  return () => {
    for (const type of ['register', 'notification', 'didLoadWithEvents'] as const)
      voipPush.removeEventListener(type);
  };
}
