import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LiveStream } from '../../sdk/src/types.ts';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { statsIn, watchIn } from '../harness/browser/rtcPages.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { WhipClients, type WhipClient } from '../harness/clients/WhipClient.ts';

/* An independent WHIP client publishes, and a page that works with any WHEP server plays. */

let node: OneNode;
let browser: Browser;
let host: TestClient;
let stream: LiveStream;
let viewer: Page;
let clients: WhipClients;

beforeAll(async () => {
  clients = await WhipClients.create();
  node = await oneNode();
  browser = await launchChromium();
  host = await node.client();
});
afterAll(async () => {
  await clients?.close();
  await browser?.close();
  await node?.close();
});

beforeEach(async () => {
  stream = await host.parley.streaming.create({ title: 'Ball' });
  viewer = await (await newContext(browser)).newPage();
  await viewer.goto(`${node.url()}/healthz`);
  return async () => {
    await clients.killAll();
    await viewer.context().close();
    await host.parley.streaming.end(stream.id);
  };
});

/** Publishes in VP8. The matrix in strangers.test.ts uses H264 with this client. */
const publish = (key = stream.streamKey) => clients.publish(stream.whipUrl, key, 'VP8');
const get = () => host.parley.streaming.get(stream.id);

async function isLive(client: WhipClient): Promise<void> {
  await until(async () => (await get()).isSending, 'the stream is live').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${client.output}`);
  });
}

async function waitForMedia(): Promise<void> {
  const before = await statsIn(viewer, 'player');
  let now = before;
  const isPlaying = async () => {
    now = await statsIn(viewer, 'player');
    const isMoving = now.framesDecoded > before.framesDecoded + 10 && now.videoCodec === 'video/VP8';
    return isMoving && now.audioEnergy > before.audioEnergy;
  };
  await until(isPlaying, 'video and a tone', 20_000).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify([before, now])}`);
  });
}

describe('simple-whip-client', () => {
  it('publishes and ends its session', async () => {
    const client = publish();
    await isLive(client);
    expect((await watchIn(viewer, { url: stream.whepUrl })).status).toBe(201);
    await waitForMedia();
    await client.stop();
    await until(async () => !(await get()).isSending, 'the stream waits');
    expect((await get()).status).toBe('live');
  });

  it('can return after it was killed', async () => {
    const client = publish();
    await isLive(client);
    await watchIn(viewer, { url: stream.whepUrl });
    await waitForMedia();
    await client.kill();
    await until(async () => !(await get()).isSending, 'the stream waits');
    await isLive(publish());
    await waitForMedia();
  });

  it('is detected as silent after some seconds, and continues afterwards', async () => {
    const client = publish();
    await isLive(client);
    await watchIn(viewer, { url: stream.whepUrl });
    await waitForMedia();
    client.freeze();
    await until(async () => !(await get()).isSending, 'the stream waits');
    client.thaw();
    await isLive(client);
    await waitForMedia();
  });

  it('gets a 401 for a wrong key', async () => {
    const client = publish('sk_wrong');
    await until(() => client.output.includes('401'), 'the client gets 401');
  });
});
