import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { Browser } from 'playwright-core';
import selfsigned from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allReceive,
  launchChromium,
  leave,
  makeCall,
  openClient,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { NetworkNamespace } from '../harness/nodes/NetworkNamespace.ts';
import { inFront, NetworkProxy } from '../harness/nodes/NetworkProxy.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { loadSecrets } from '../../platform/secrets.ts';
import { turnSecrets } from '../../server/compose/openTurn.ts';
import { TurnClient, TurnRefused, type TurnCredentials } from '../../server/doctor/TurnClient.ts';
import { TurnServers } from '../../signaling/media/TurnServers.ts';

/** How this page's media reaches the server. */
const mediaPath = (client: BrowserClient, callId: string) =>
  client.page.evaluate(async (id) => (await window.parley.media.stats(id)).path, callId);

/** Runs the test of the SDK on the page. */
const testMedia = ({ page }: BrowserClient) =>
  page.evaluate(async () => {
    const seen: string[] = [];
    const { level, findings, figures, text } = await window.parley.media.test({
      onFinding: (finding) => seen.push(finding.check),
    });
    return { level, findings, figures, text, seen };
  });

describe('if UDP is blocked', () => {
  it('a call goes over TCP', async () => {
    const server = await ServerProcess.start(({ port }) => ({
      MEDIA_ANNOUNCED_ADDRESS: inFront,
      PUBLIC_URL: `http://${inFront}:${port}`,
    }));
    const { port, mediaPort } = server.ports;
    const network = await NetworkProxy.create([port], [mediaPort], { udp: false });
    const browser = await launchChromium();
    const url = `http://${inFront}:${port}`;
    const [alice, bob] = [await openClient(browser, url), await openClient(browser, url)];
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    expect(await mediaPath(alice, callId)).toEqual({ over: 'tcp', relayed: false });
    const { level, findings, figures, text, seen } = await testMedia(alice);
    // How good the connection is depends on how busy this machine is.
    expect(findings.slice(0, -1).map((finding) => [finding.check, finding.level])).toEqual([
      ['secure-context', 'ok'],
      ['microphone', 'ok'],
      ['camera', 'ok'],
      ['websocket', 'ok'],
      ['udp', 'warning'],
      ['tcp', 'ok'],
      ['turn', 'ok'],
    ]);
    expect(seen).toEqual(findings.map(({ check }) => check));
    expect(level).toBe('warning');
    expect(text).toContain(
      'Your network blocks UDP. Calls go over TCP, with more delay. Allow outgoing traffic to UDP port',
    );
    expect(figures).toMatchObject({ path: { over: 'tcp', relayed: false } });
    expect(figures?.uploadKbit).toBeGreaterThan(100);
    expect(figures?.downloadKbit).toBeGreaterThan(100);
    await leave(alice, bob);
    await browser.close();
    network.close();
    await server.dispose();
  });
});

it('reaches somebody in a network with only IPv6', async ({ onTestFinished }) => {
  const network = NetworkNamespace.create();
  onTestFinished(() => network.remove());
  const address = network.useIPv6Only();
  const server = await ServerProcess.start(({ port }) => ({
    HOST: '::',
    MEDIA_ANNOUNCED_ADDRESS: `127.0.0.1,${address}`,
    ALLOWED_ORIGINS: `http://[${address}]:${port}`,
  }));
  onTestFinished(() => server.dispose());
  const guestUrl = `http://[${address}]:${server.ports.port}`;
  const [guest, host] = await Promise.all([network.launchChromium(guestUrl), launchChromium()]);
  onTestFinished(async () => {
    await Promise.all([guest.close(), host.close()]);
  });
  const [alice, bob] = [await openClient(guest, guestUrl), await openClient(host, server.url)];
  const callId = await makeCall(alice, bob);
  await allReceive(callId, alice, bob);
  expect(await mediaPath(alice, callId)).toEqual({ over: 'udp', relayed: false });
  await leave(alice, bob);
});

/** An address that no machine has: that of a NAT in front of the server. */
const announced = '203.0.113.7';

describe.sequential('TURN=auto', () => {
  let network: NetworkNamespace;
  let server: ServerProcess;
  let proxy: Server;
  let folder: string;
  let [guest, host]: (Browser | undefined)[] = [];
  let guestUrl: string;
  let turnAddress: string;
  let turnPort: number;

  beforeAll(async () => {
    network = NetworkNamespace.create();
    turnAddress = network.allowOnly443();
    guestUrl = `http://${network.hostAddress}:443`;
    folder = await mkdtemp(join(tmpdir(), 'parley-turn-'));
    await writeCertificate('first');
    turnPort = await freePorts();
    server = await ServerProcess.start({
      HOST: '0.0.0.0',
      MEDIA_ANNOUNCED_ADDRESS: announced,
      ALLOWED_ORIGINS: guestUrl,
      TURN: 'auto',
      TURN_HOST: turnAddress,
      TURN_NAME: turnAddress,
      TURN_PORT: String(turnPort),
      TURN_TLS_PORT: '443',
      TURN_CERT_FILE: join(folder, 'cert.pem'),
      TURN_KEY_FILE: join(folder, 'key.pem'),
    });
    await server.waitForLog('TURN server is running');
    proxy = createServer((client) => {
      const upstream = connect(server.ports.port, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const)
        one.on('error', () => other.destroy());
    }).listen(443, network.hostAddress);
    const trusting = '--ignore-certificate-errors';
    [guest, host] = await Promise.all([
      network.launchChromium(guestUrl, trusting),
      launchChromium({ args: [trusting] }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([guest?.close(), host?.close()]);
    proxy?.close();
    await server?.dispose();
    await network?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function writeCertificate(name: string): Promise<void> {
    const made = await selfsigned.generate([{ name: 'commonName', value: name }], { keyType: 'ec' });
    await writeFile(join(folder, 'key.pem'), made.private);
    await writeFile(join(folder, 'cert.pem'), made.cert);
  }

  it('lets a client call that reaches only TCP port 443, and says that it is relayed', async () => {
    if (!guest || !host) throw new Error('no browsers');
    const [alice, bob] = [await openClient(guest, guestUrl), await openClient(host, server.url)];
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    expect(await mediaPath(alice, callId)).toEqual({ over: 'tls', relayed: true });
    await leave(alice, bob);
  });

  it('is named by the page /check, without a wallet', async () => {
    const context = await guest?.newContext({
      permissions: ['clipboard-read', 'clipboard-write', 'camera', 'microphone'],
    });
    const page = await context?.newPage();
    if (!page) throw new Error('no browser');
    await page.goto(`${guestUrl}/check`);
    await page.getByRole('button', { name: 'Start the test' }).press('Enter');
    await page.getByTestId('copy-report').click({ timeout: 30_000 });
    const report = await page.evaluate(() => navigator.clipboard.readText());
    expect(report).toContain('WARNING udp: Your network blocks UDP. Calls are relayed, with more delay.');
    expect(report).toContain('WARNING tcp: Your network blocks direct connections by TCP.');
    expect(report).toMatch(/WARNING turn: turn:\S+transport=udp does not relay/);
    expect(report).toMatch(/OK {6}turn: turns:\S+:443\?transport=tcp relays/);
    expect(report).toContain('relayed over TLS');
    await page.getByText('You can call from here, with limits').waitFor();
    await context?.close();
  });

  it('gives a stranger nothing but the media', async () => {
    const credentials = await credentialsFor('stranger');
    const place = { host: turnAddress, port: turnPort, over: 'udp' } as const;
    const relay = await TurnClient.allocate(place, credentials);
    for (const address of ['127.0.0.1', '0.0.0.0', '10.0.0.1', '192.168.1.1', '169.254.169.254', turnAddress])
      await expect(relay.permit(address)).rejects.toMatchObject({ code: 403 });
    // The media's address is allowed, and nothing else answers there: Redis, PostgreSQL and HTTP need TCP, which is not relayed.
    await relay.permit(announced);
    await relay.close();
    await expect(TurnClient.allocate(place, credentials, 'tcp')).rejects.toBeInstanceOf(TurnRefused);
    const forged = { ...credentials, credential: 'made up' };
    await expect(TurnClient.allocate(place, forged)).rejects.toMatchObject({ code: 401 });
  });

  it('gives a user only so many relays', async () => {
    const credentials = await credentialsFor('greedy');
    const place = { host: turnAddress, port: turnPort, over: 'udp' } as const;
    const asked = await Promise.allSettled(
      Array.from({ length: 62 }, () => TurnClient.allocate(place, credentials)),
    );
    const refusals = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as TurnRefused] : []));
    expect(refusals.map(({ code }) => code)).toEqual([486, 486]);
    await Promise.all(
      asked.map((one) => (one.status === 'fulfilled' ? one.value.close() : Promise.resolve())),
    );
  });

  it('keeps its secret in a file that only the user of the server may read', async () => {
    const file = join(server.dataDir, 'turn', 'turnserver.conf');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const command = await readFile(`/proc/${turnPid()}/cmdline`, 'utf8');
    expect(command.split('\0').slice(1, -1)).toEqual(['-c', file]);
  });

  it('shows a renewed certificate without a restart', async () => {
    await writeCertificate('second');
    const shown = () =>
      new Promise<string>((resolve) => {
        const socket = connectTls({ host: turnAddress, port: 443, rejectUnauthorized: false }, () => {
          resolve(String(socket.getPeerCertificate().subject.CN));
          socket.destroy();
        });
      });
    expect(await shown()).toBe('first');
    await until(async () => (await shown()) === 'second', 'the renewed certificate', 30_000);
  });

  it('is restarted when it is killed, and ends with the server', async () => {
    const first = turnPid();
    process.kill(first, 'SIGKILL');
    await server.waitForLog('TURN server is back');
    const second = turnPid();
    expect(second).not.toBe(first);
    expect(await server.isReady()).toBe(true);
    await server.kill();
    await until(() => !isRunning(second), 'the end of coturn');
  });

  async function credentialsFor(who: string): Promise<TurnCredentials> {
    const secrets = await loadSecrets({ DATA_DIR: server.dataDir });
    const turn = new TurnServers({
      urls: () => ['turn:x'],
      secret: () => turnSecrets(secrets)[0],
      ttlSeconds: 60,
    });
    return turn.for(who)[0] as TurnCredentials;
  }

  /** The process that the log named last. */
  const turnPid = () => {
    const lines = [...server.logged('TURN server is running'), ...server.logged('TURN server is back')];
    return Number(lines.at(-1)?.['pid']);
  };
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
