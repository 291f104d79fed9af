import { execFileSync } from 'node:child_process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allReceive,
  eventIn,
  launchChromium,
  leave,
  makeCall,
  openClient,
  received,
  reconnects,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { causesOf } from '../harness/browser/causesOf.ts';
import { inFront, NetworkProxy } from '../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';

let server: ServerProcess;
let network: NetworkProxy;
let browser: Browser;
let url: string;

beforeAll(async () => {
  server = await ServerProcess.start(({ port }) => ({
    MEDIA_WORKERS: '2',
    MEDIA_ANNOUNCED_ADDRESS: inFront,
    PUBLIC_URL: `http://${inFront}:${port}`,
  }));
  const { port, mediaPort } = server.ports;
  network = await NetworkProxy.create([port], [mediaPort, mediaPort + 1]);
  url = `http://${inFront}:${port}`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  network?.close();
  await server?.dispose();
});

/** Starts a call between two pages and waits for media in both directions. */
async function startCall(): Promise<{ alice: BrowserClient; bob: BrowserClient; callId: string }> {
  const [alice, bob] = [await openClient(browser, url), await openClient(browser, url)];
  const callId = await makeCall(alice, bob);
  await allReceive(callId, alice, bob);
  return { alice, bob, callId };
}

it('marks a party with a silent network as away until it sends again', async () => {
  // Bob does not use the network that is cut.
  const [alice, bob] = [await openClient(browser, url), await openClient(browser, server.url)];
  const callId = await makeCall(alice, bob);
  await allReceive(callId, alice, bob);
  const isAway = async (away: boolean) => {
    const events = await bob.page.evaluate(() =>
      window.seen.filter(({ name }) => name === 'call:participant:away').map(({ payload }) => payload),
    );
    return (events.at(-1) as { isAway?: boolean } | undefined)?.isAway === away;
  };
  network.cut();
  await until(() => isAway(true), 'Alice is away');
  expect(await alice.page.evaluate(() => window.parley.state)).toBe('connected');
  network.restore();
  await until(() => isAway(false), 'Alice is back');
  await allReceive(callId, alice, bob);
  await leave(alice, bob);
});

describe('a call survives', () => {
  it('five seconds without a network', async () => {
    const { alice, bob, callId } = await startCall();
    network.cut();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    network.restore();
    await allReceive(callId, alice, bob);
    expect(await alice.page.evaluate(() => window.seen.map(({ name }) => name))).not.toContain('call:ended');
    await leave(alice, bob);
  });

  it('an outage during which one party unmutes', async () => {
    const { alice, bob, callId } = await startCall();
    await alice.page.evaluate((id) => window.parley.calls.mute(id), callId);
    network.cut();
    network.changeNetwork();
    await alice.page.waitForFunction(() => window.parley.state === 'reconnecting');
    const unmuted = alice.page.evaluate((id) => window.parley.calls.unmute(id), callId);
    network.restore();
    await unmuted;
    await allReceive(callId, alice, bob);
    const { audioEnergy } = await received(bob.page, callId);
    await until(
      async () => (await received(bob.page, callId)).audioEnergy > audioEnergy,
      'audio after unmuting',
    );
    await leave(alice, bob);
  });

  it('a change of network', async () => {
    const { alice, bob, callId } = await startCall();
    await reconnects(alice, () => network.changeNetwork());
    await allReceive(callId, alice, bob);
    expect(
      await alice.page.evaluate(
        (id) => window.parley.calls.getActive().then((calls) => calls.map((call) => call.id === id)),
        callId,
      ),
    ).toEqual([true]);
    await leave(alice, bob);
  });

  it('the death of its media worker', async () => {
    const { alice, bob, callId } = await startCall();
    const pids = server.logged('media worker started').map(({ pid }) => Number(pid));
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
    await until(
      () => server.logged('media worker started').length >= pids.length + 2,
      'both workers replaced',
    );
    await allReceive(callId, alice, bob);
    const causes = () => causesOf(url, alice, callId);
    await until(async () => (await causes()).includes('worker_died'), 'the death is the cause');
    await leave(alice, bob);
  });

  it('a reload of one page, which rejoins', async () => {
    const { alice, bob, callId } = await startCall();
    await bob.page.reload();
    await bob.signIn();
    const active = await bob.page.evaluate(() => window.parley.calls.getActive());
    expect(active).toMatchObject([{ id: callId, status: 'active' }]);
    await bob.page.evaluate((id) => window.parley.calls.rejoin(id), callId);
    await allReceive(callId, alice, bob);
    await leave(alice, bob);
  });

  it('a restart of the server', async () => {
    const { alice, bob, callId } = await startCall();
    await server.kill();
    await server.start();
    await allReceive(callId, alice, bob);
    await alice.page.evaluate((id) => window.parley.calls.end(id), callId);
    await eventIn(bob.page, 'call:ended');
    await leave(alice, bob);
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/ Z /.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)]).toString());
  } catch {
    return false;
  }
}
