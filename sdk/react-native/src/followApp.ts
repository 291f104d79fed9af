import type { Parley } from '@parley/sdk';
import { AppState } from 'react-native';

/** The part of @react-native-community/netinfo that followApp() uses. */
export interface NetInfo {
  addEventListener(listener: (state: { type: string; isConnected: boolean | null }) => void): () => void;
}

/** The clients that are kept in step with the app. */
const followed = new WeakSet<Parley>();

/** Whether followApp() keeps a client in step with the app. */
export const isFollowed = (client: Parley): boolean => followed.has(client);

/**
 * Keeps the connection in step with the app. When the app returns to the foreground, or the network has changed, the client reconnects at
 * once, calls and rooms continue, and missed events arrive. When the app goes to the background without a call, the client disconnects, so
 * that calls and messages arrive by push.
 * @param client the client
 * @param options.netInfo the default export of @react-native-community/netinfo. Without it, a changed network is noticed later
 * @returns a function that stops this
 * @example const stop = followApp(client, { netInfo: NetInfo });
 */
export function followApp(client: Parley, { netInfo }: { netInfo?: NetInfo } = {}): () => void {
  const resume = () => {
    // In the background, a client without a call is suspended, and stays so.
    if (AppState.currentState === 'background' && client.state === 'idle') return;
    // The client reports the reason with `connection:changed`, and continues to try.
    client.resume().catch(() => undefined);
  };
  followed.add(client);
  const app = AppState.addEventListener('change', (state) => {
    if (state === 'active') resume();
    if (state === 'background') client.suspend();
  });
  let network: string | undefined;
  const stopNetwork = netInfo?.addEventListener(({ type, isConnected }) => {
    const former = network;
    network = isConnected ? type : 'none';
    // The first report is the state at the start.
    if (former !== undefined && former !== network && isConnected) resume();
  });
  return () => {
    followed.delete(client);
    app.remove();
    stopNetwork?.();
  };
}
