import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { download, picture, storedFiles } from '../files/mediaSupport.ts';
import { ask, bearer } from '../support.ts';

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;
let stranger: TestClient;

beforeAll(async () => {
  harness = await oneNode();
  [alice, bob, stranger] = [await harness.client(), await harness.client(), await harness.client()];
});
afterAll(() => harness?.close());

/** The status of a wallet's request for a file without a signed address. */
async function statusFor({ parley }: TestClient, fileId: string): Promise<number> {
  const headers = bearer(parley.session?.token ?? '');
  return (await ask(harness.url(), 'GET', `/api/v1/media/${fileId}`, { headers })).status;
}

it('serves an attachment to the two wallets until they delete the message, and removes it with the message', async () => {
  const file = await picture();
  const media = { file, name: 'cat.png' };
  const sent = await alice.parley.messages.send({ to: bob.address, content: 'a cat', type: 'image', media });
  const fileId = sent.media?.id ?? '';
  const statuses = () => Promise.all([alice, bob, stranger].map((client) => statusFor(client, fileId)));
  expect(await statuses()).toEqual([200, 200, 404]);
  const [received] = await bob.parley.messages.getMessages({ with: alice.address });
  expect(received?.media).toMatchObject({ id: fileId, mimeType: 'image/png', name: 'cat.png' });
  const address = received?.media?.url ?? '';
  expect((await download(address)).status).toBe(200);

  await bob.parley.messages.delete(sent.id);
  expect(await statuses()).toEqual([200, 404, 404]);
  await alice.parley.messages.delete(sent.id, { forEveryone: true });
  expect(await statuses()).toEqual([404, 404, 404]);
  expect((await download(address)).status).toBe(404);
  await until(() => storedFiles(harness.server).length === 0, 'its bytes are gone');
});

it('hides an attachment from a recipient who has blocked its sender', async () => {
  await bob.parley.calls.block(stranger.address);
  const media = { file: await picture() };
  const sent = await stranger.parley.messages.send({ to: bob.address, content: '', type: 'image', media });
  const fileId = sent.media?.id ?? '';
  expect([await statusFor(stranger, fileId), await statusFor(bob, fileId)]).toEqual([200, 404]);
});
