import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allReceive,
  launchChromium,
  leave,
  makeCall,
  openClient,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { installed } from '../harness/run/installed.ts';
import { inFront, NetworkProxy } from '../harness/nodes/NetworkProxy.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';

/** How this page's media reaches the server, according to the selected candidate pair. */
function mediaPath(
  client: BrowserClient,
  callId: string,
): Promise<{ protocol: string; type: string; relay: string | undefined }> {
  return client.page.evaluate(async (id) => {
    const { sending } = await window.parley.media.stats(id);
    const find = (entryId: unknown) =>
      sending.find((entry) => entry.id === entryId) as unknown as Record<string, string>;
    const transport = sending.find((entry) => entry.type === 'transport') as unknown as Record<
      string,
      string
    >;
    const pair = find(transport.selectedCandidatePairId);
    const [local, remote] = [find(pair?.localCandidateId), find(pair?.remoteCandidateId)];
    return {
      protocol: String(remote?.protocol),
      type: String(local?.candidateType),
      relay: local?.relayProtocol,
    };
  }, callId);
}

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
    expect(await mediaPath(alice, callId)).toMatchObject({ protocol: 'tcp' });
    await leave(alice, bob);
    await browser.close();
    network.close();
    await server.dispose();
  });
});

/** A separate network for a browser: a namespace with one virtual cable to this machine. */
const namespace = `parley-${process.pid}`;
const cable = `pl${process.pid}`;
const [hostAddress, guestAddress] = ['10.213.77.1', '10.213.77.2'];
const ip = (...args: string[]) => execFileSync(installed('iproute2'), args, { stdio: 'pipe' });

describe('a client that reaches only a TURN server, over TCP', () => {
  let server: ServerProcess;
  let turn: ChildProcess;
  let proxy: Server;
  let folder: string;
  let [guest, host]: (Browser | undefined)[] = [];
  let guestUrl: string;

  beforeAll(async () => {
    ip('netns', 'add', namespace);
    ip('link', 'add', `${cable}h`, 'type', 'veth', 'peer', 'name', `${cable}g`, 'netns', namespace);
    ip('addr', 'add', `${hostAddress}/30`, 'dev', `${cable}h`);
    ip('link', 'set', `${cable}h`, 'up');
    ip('-n', namespace, 'addr', 'add', `${guestAddress}/30`, 'dev', `${cable}g`);
    ip('-n', namespace, 'link', 'set', `${cable}g`, 'up');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');

    folder = await mkdtemp(join(tmpdir(), 'parley-turn-'));
    const turnPort = await freePorts();
    const secret = 'a secret for this test only';
    // Pages and signalling pass through the proxy. Media listens only on 127.0.0.1, which in the namespace is another host.
    server = await ServerProcess.start(({ port }) => ({
      ALLOWED_ORIGINS: `http://${hostAddress}:${port}`,
      TURN_URLS: `turn:${hostAddress}:${turnPort}?transport=tcp`,
      TURN_SECRET: secret,
    }));
    turn = await startTurn(turnPort, secret, folder);
    guestUrl = `http://${hostAddress}:${server.ports.port}`;
    proxy = createServer((client) => {
      const upstream = connect(server.ports.port, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const)
        one.on('error', () => other.destroy());
    }).listen(server.ports.port, hostAddress);

    const chromium = join(folder, 'chromium');
    await writeFile(
      chromium,
      `#!/bin/sh\nexec ${installed('iproute2')} netns exec ${namespace} ${installed('chromium')} "$@"\n`,
    );
    await chmod(chromium, 0o755);
    // The guest's pages need a camera, although they do not come from a loopback address.
    guest = await launchChromium({
      executablePath: chromium,
      args: [`--unsafely-treat-insecure-origin-as-secure=${guestUrl}`],
    });
    host = await launchChromium();
  });

  afterAll(async () => {
    await Promise.all([guest?.close(), host?.close()]);
    proxy?.close();
    turn?.kill('SIGKILL');
    await server?.dispose();
    ip('netns', 'del', namespace);
    await rm(folder, { recursive: true, force: true });
  });

  it('can make a call with temporary credentials', async () => {
    if (!guest || !host) throw new Error('no browsers');
    const [alice, bob] = [await openClient(guest, guestUrl), await openClient(host, server.url)];
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    expect(await mediaPath(alice, callId)).toEqual({ protocol: 'udp', type: 'relay', relay: 'tcp' });
    await leave(alice, bob);
  });
});

/** Starts Debian's coturn, over TCP only, for users with credentials derived from the shared secret. */
async function startTurn(port: number, secret: string, folder: string): Promise<ChildProcess> {
  const settings = {
    'listening-port': port,
    'listening-ip': hostAddress,
    'relay-ip': '127.0.0.1',
    'static-auth-secret': secret,
    realm: 'parley.test',
    'cli-password': secret,
    userdb: join(folder, 'turn.db'),
    pidfile: join(folder, 'turn.pid'),
    'log-file': 'stdout',
  };
  const flags = [
    'use-auth-secret',
    'allow-loopback-peers',
    'no-udp',
    'no-tls',
    'no-dtls',
    'no-cli',
    'fingerprint',
  ];
  const args = [
    ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ...flags.map((name) => `--${name}`),
  ];
  const child = spawn(installed('coturn'), ['-n', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, hostAddress, () => {
        socket.destroy();
        resolve(true);
      }).once('error', () => resolve(false));
    });
  await until(isListening, 'coturn');
  return child;
}
