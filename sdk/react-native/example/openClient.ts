import { followApp, registerVoipPush, SystemCalls } from '@parley/react-native';
import { Parley, type Signer } from '@parley/sdk';
import AsyncStorage from '@react-native-async-storage/async-storage';
import NetInfo from '@react-native-community/netinfo';
import { Platform } from 'react-native';
import RNCallKeep from 'react-native-callkeep';
import VoipPushNotification from 'react-native-voip-push-notification';

/** What the app uses while it is signed in. */
export interface Session {
  client: Parley;
  calls: SystemCalls;
  close(): void;
}

/**
 * Creates the client, signs in unless a session is stored, and connects it with the phone: its life cycle, its network, its call screen
 * and, on an iPhone, its pushes.
 * @param baseUrl the server
 * @param signer the wallet
 */
export async function openClient(baseUrl: string, signer: Signer): Promise<Session> {
  const client = new Parley({ apiKey: '', baseUrl, storage: AsyncStorage });
  if (!(await client.loadSession())) await client.signIn(signer);
  await RNCallKeep.setup({
    ios: { appName: 'Parley example' },
    android: {
      alertTitle: 'Calls',
      alertDescription: 'Allow the app to show calls on the phone’s call screen.',
      cancelButton: 'Not now',
      okButton: 'Allow',
      additionalPermissions: [],
      selfManaged: false,
    },
  });
  const calls = new SystemCalls(client, { callKeep: RNCallKeep });
  const stops = [() => calls.close(), followApp(client, { netInfo: NetInfo })];
  if (Platform.OS === 'ios') stops.push(registerVoipPush(client, { voipPush: VoipPushNotification, calls }));
  await client.resume();
  return {
    client,
    calls,
    close: () => {
      for (const stop of stops) stop();
      client.close();
    },
  };
}
