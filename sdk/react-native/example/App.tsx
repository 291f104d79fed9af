import notifee from '@notifee/react-native';
import { ParleyPreview, ParleyVideo, startOngoing, type Ongoing } from '@parley/react-native';
import type { MediaTrack } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { Button, SafeAreaView, StyleSheet, Text, TextInput, View } from 'react-native';
import InCallManager from 'react-native-incall-manager';
import { newWallet } from './newWallet.ts';
import { openClient, type Session } from './openClient.ts';

/** Signs in with a new wallet, calls another one by its address, and shows the call. */
export function App() {
  const [server, setServer] = useState('https://');
  const [session, setSession] = useState<Session | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => () => session?.close(), [session]);

  const signIn = () => {
    openClient(server, newWallet()).then(setSession, (error: Error) => setProblem(error.message));
  };
  return (
    <SafeAreaView style={styles.screen}>
      {session ? (
        <Calls session={session} />
      ) : (
        <View style={styles.form}>
          <Text>Server</Text>
          <TextInput
            style={styles.input}
            value={server}
            onChangeText={setServer}
            autoCapitalize="none"
            accessibilityLabel="Server"
          />
          <Button title="Sign in as a guest" onPress={signIn} />
        </View>
      )}
      <Text>{problem}</Text>
    </SafeAreaView>
  );
}

/** The form for a call, or the call. */
function Calls({ session: { client, calls } }: { session: Session }) {
  const [to, setTo] = useState('');
  const [callId, setCallId] = useState<string | null>(null);
  const [track, setTrack] = useState<MediaTrack | null>(null);
  const [problem, setProblem] = useState('');
  const own = client.session?.walletAddress ?? '';

  useEffect(() => {
    const end = ({ id }: { id: string }) => setCallId((current) => (current === id ? null : current));
    const stops = [
      client.on('media:local', ({ id, scope }) => scope === 'call' && setCallId(id)),
      client.on('media:track', (other) => other.source === 'camera' && setTrack(other)),
      client.on('call:ended', end),
      client.on('call:declined', end),
      client.on('call:missed', end),
    ];
    return () => stops.forEach((stop) => stop());
  }, [client]);

  useEffect(() => {
    if (!callId) return;
    let ongoing: Ongoing | undefined;
    let isOver = false;
    const options = { audio: InCallManager, isVideo: true, service: notifee };
    startOngoing(options).then(
      (started) => {
        ongoing = started;
        if (isOver) void started.stop();
      },
      (error: Error) => setProblem(error.message),
    );
    return () => {
      isOver = true;
      setTrack(null);
      void ongoing?.stop();
    };
  }, [callId]);

  if (callId)
    return (
      <View style={styles.screen}>
        {track?.id === callId && (
          <ParleyVideo client={client} track={track} style={StyleSheet.absoluteFill} objectFit="cover" />
        )}
        <ParleyPreview client={client} id={callId} style={styles.preview} objectFit="cover" zOrder={1} />
        <View style={styles.bar}>
          <Button title="End call" onPress={() => calls.end(callId)} />
        </View>
      </View>
    );
  return (
    <View style={styles.form}>
      <Text selectable>Your address: {own}</Text>
      <TextInput
        style={styles.input}
        value={to}
        onChangeText={setTo}
        autoCapitalize="none"
        accessibilityLabel="Wallet address to call"
      />
      <Button
        title="Video call"
        onPress={() => {
          setProblem('');
          calls.start({ to, type: 'video' }).catch((error: Error) => setProblem(error.message));
        }}
      />
      <Text>{problem}</Text>
    </View>
  );
}

const styles = StyleSheet.create({
  screen: { flex: 1 },
  form: { flex: 1, padding: 24, gap: 12, justifyContent: 'center' },
  input: { borderWidth: 1, borderColor: '#888', borderRadius: 8, padding: 12 },
  preview: { position: 'absolute', right: 16, top: 16, width: 96, height: 128 },
  bar: { position: 'absolute', left: 0, right: 0, bottom: 32, alignItems: 'center' },
});
