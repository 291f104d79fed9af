import type { Parley } from '@parley/sdk';
import type { SystemCalls } from './SystemCalls.ts';

/** The part of react-native-voip-push-notification that registerVoipPush() uses. */
export interface VoipPush {
  addEventListener(type: 'register', handler: (token: string) => void): void;
  addEventListener(type: 'notification', handler: (payload: object) => void): void;
  removeEventListener(type: 'register' | 'notification'): void;
  registerVoipToken(): void;
}

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
  voipPush.addEventListener('register', (apns) => {
    client.notifications.register({ apns, mode: 'voip' }).catch(onError);
  });
  voipPush.addEventListener('notification', (payload) => {
    const { parley } = payload as { parley?: object };
    if (parley) calls.wake(parley).catch(onError);
  });
  voipPush.registerVoipToken();
  return () => {
    voipPush.removeEventListener('register');
    voipPush.removeEventListener('notification');
  };
}
