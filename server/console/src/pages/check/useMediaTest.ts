import type { MediaTestCheck, MediaTestFinding, MediaTestReport, Parley } from '@parley/sdk';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../../session/ParleyClient.tsx';

/** Runs the connection test with the signed-in client, or with a temporary wallet that is signed out afterwards. */
export function useMediaTest() {
  const session = useSession();
  const own = session.phase === 'signedIn' && session.address !== null ? session.client : null;
  const [isRunning, setRunning] = useState(false);
  const [running, setStarted] = useState<MediaTestCheck[]>([]);
  const [findings, setFindings] = useState<MediaTestFinding[]>([]);
  const [report, setReport] = useState<MediaTestReport | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);

  async function start(): Promise<void> {
    const { signal } = (ending.current = new AbortController());
    setRunning(true);
    setError(null);
    setReport(null);
    setFindings([]);
    let client: Parley | null = null;
    try {
      client = own ?? (await openTemporary());
      const done = await client.media.test({
        signal,
        onStart: (check) => setStarted((before) => [...before, check]),
        onFinding(finding) {
          setStarted((before) => before.filter((check) => check !== finding.check));
          setFindings((before) => [...before, finding]);
        },
      });
      setReport(done);
    } catch (thrown) {
      if (!signal.aborted) setError(thrown);
    } finally {
      if (client !== own) await client?.signOut().catch(() => undefined);
      setStarted([]);
      setRunning(false);
    }
  }

  return { isRunning, running, findings, report, error, start };
}

async function openTemporary(): Promise<Parley> {
  const { newTestClient, generatePrivateKey, privateKeyToAccount } =
    await import('../../session/openClient.ts');
  const client = newTestClient();
  await client.signIn(privateKeyToAccount(generatePrivateKey()));
  return client;
}
