import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** How this page's media reaches the server. */
const mediaPath = (client: BrowserClient, callId: string) =>
  client.page.evaluate(async (id) => (await window.parley.media.stats(id)).path, callId);

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
    await leave(alice, bob);
    await browser.close();
    network.close();
    await server.dispose();
  });
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
});
