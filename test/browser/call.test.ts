import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventIn, launchChromium, openClient, received } from '../harness/browser.ts';
import { oneNode, type OneNode } from '../harness/Harness.ts';
import { until } from '../harness/until.ts';

let harness: OneNode;
let browser: Browser;

beforeAll(async () => {
  harness = await oneNode();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await harness?.close();
});

describe('a video call between two browsers', () => {
  it('both see moving video and hear sound, until one hangs up', async () => {
    const alice = await openClient(browser, harness.url());
    const bob = await openClient(browser, harness.url());
    const call = await alice.page.evaluate(
      (to) =>
        window.parley.calls.start({ to, type: 'video', video: { width: 320, height: 180, frameRate: 10 } }),
      bob.address,
    );
    expect(call).toMatchObject({ status: 'ringing', direction: 'outgoing' });
    const incoming = await eventIn(bob.page, 'call:incoming');
    expect(incoming).toMatchObject({ id: call.id, direction: 'incoming', from: alice.address });

    await bob.page.evaluate((id) => window.parley.calls.answer(id), call.id);
    await eventIn(alice.page, 'call:answered');

    for (const { page } of [alice, bob]) {
      const first = await until(async () => {
        const now = await received(page, call.id);
        return now.framesDecoded > 0 && now.audioEnergy > 0 ? now : null;
      }, 'picture and sound');
      await until(
        async () => (await received(page, call.id)).framesDecoded > first.framesDecoded + 5,
        'moving video',
      );
    }

    await alice.page.evaluate((id) => window.parley.calls.end(id), call.id);
    expect(await eventIn(bob.page, 'call:ended')).toMatchObject({
      id: call.id,
      status: 'ended',
      endReason: 'hangup',
    });
    await alice.context.close();
    await bob.context.close();
  });
});
