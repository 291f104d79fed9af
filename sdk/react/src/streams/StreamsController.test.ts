import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../../../test/harness/nodes/Harness.ts';
import { Services } from '../core/Services.ts';
import { StreamsController } from './StreamsController.ts';

/* The controller with the SDK and a real server, without media. */

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode();
});
afterAll(() => harness?.close());

it('forgets the stream that it sends when the session ends', async () => {
  const ada = await harness.client();
  const { id } = await ada.parley.streaming.create({ title: 'Friday' });
  const streams = new StreamsController(new Services(ada.parley));
  const close = streams.open(id);
  await streams.current.get()?.goLive({ source: 'camera', audio: true, quality: '720p' });
  // The stream continues while its page is not shown.
  close();
  expect(streams.current.get()?.store.get()).toMatchObject({ sending: 'yes', stream: { id } });

  await ada.parley.signOut();
  expect(streams.current.get()).toBeNull();
  await ada.parley.signIn(privateKeyToAccount(generatePrivateKey()));
  streams.open(id);
  await expect.poll(() => streams.current.get()?.store.get().phase).toBe('foreign');
});

it('goes on to show the stream that it sends while the page shows another one', async () => {
  const ada = await harness.client();
  const [sent, other] = await Promise.all(
    ['Friday', 'Saturday'].map((title) => ada.parley.streaming.create({ title })),
  );
  if (!sent || !other) throw new Error('Both streams were created.');
  const streams = new StreamsController(new Services(ada.parley));
  const shown = () => [streams.current, streams.sent].map((studio) => studio.get()?.streamId ?? null);
  let close = streams.open(sent.id);
  const studio = streams.current.get();
  await studio?.goLive({ source: 'camera', audio: true, quality: '720p' });
  close();
  close = streams.open(other.id);
  expect(shown()).toEqual([other.id, sent.id]);
  close();
  expect(shown()).toEqual([sent.id, sent.id]);
  close = streams.open(sent.id);
  expect(streams.current.get()).toBe(studio);
  expect(studio?.store.get().sending).toBe('yes');
  await studio?.end();
  expect(shown()).toEqual([sent.id, null]);
  close();
  expect(shown()).toEqual([null, null]);
});
