import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
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

const pdf = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF');

it.each<[string, Buffer | string, string, string]>([
  ['report.pdf', pdf, 'file', 'application/pdf'],
  ['notes.md', 'Grüße\n', 'file', 'text/plain; charset=utf-8'],
  ['page.html', '<!doctype html><script>alert(1)</script>', 'file', 'text/plain; charset=utf-8'],
  [
    'x.svg',
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'file',
    'application/octet-stream',
  ],
  ['data.bin', Buffer.from([0, 1, 2, 255]), 'file', 'application/octet-stream'],
  // The name says image, the content does not.
  ['not-really.png', 'text', 'file', 'text/plain; charset=utf-8'],
])('sends %s as a document, which is downloaded and never shown', async (name, content, type, mimeType) => {
  const file = Buffer.from(content);
  const [sender, receiver] = [await harness.client(), await harness.client()];
  const sent = await sender.parley.messages.sendFile({ to: receiver.address, file, name });
  expect(sent).toMatchObject({
    type,
    content: '',
    media: { name, mimeType, size: file.length, width: null },
  });
  const received = await receiver.event('message:received');
  const { headers, bytes } = await download(received.media?.url ?? '');
  expect(bytes.equals(file)).toBe(true);
  expect(headers.get('content-type')).toBe(mimeType);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain('sandbox');
});

it('sends an image as an image, or unchanged as a document', async () => {
  const [sender, receiver] = [await harness.client(), await harness.client()];
  const file = await picture();
  const to = receiver.address;
  const shown = await sender.parley.messages.sendFile({ to, file, name: 'cat.png', content: 'a cat' });
  expect(shown).toMatchObject({
    type: 'image',
    content: 'a cat',
    media: { mimeType: 'image/png', width: 400 },
  });
  const kept = await sender.parley.messages.send({
    to,
    type: 'file',
    content: '',
    media: { file, name: 'cat.png' },
  });
  expect((await download(kept.media?.url ?? '')).bytes.equals(file)).toBe(true);
  // A document is no image, and an image no document.
  const { id: mediaId } = await sender.parley.media.upload(file, { as: 'file' });
  const message = { id: newId('msg'), to, content: '', type: 'image', mediaId };
  await expect(sender.request('messages.send', message)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await sender.request('messages.send', { ...message, type: 'file' })).toMatchObject({ type: 'file' });
  // A caption can be edited, also to nothing.
  expect(await sender.parley.messages.edit(shown.id, '')).toMatchObject({
    content: '',
    media: { id: shown.media?.id },
  });
});

it('refuses other content without `as`, and finds a document by its caption', async () => {
  await expect(alice.parley.media.upload(pdf, { name: 'report.pdf' })).rejects.toMatchObject({
    reason: 'unsupported_media_type',
  });
  const { id } = await alice.parley.messages.sendFile({
    to: stranger.address,
    file: pdf,
    content: 'the contract',
  });
  expect(await stranger.parley.messages.search({ query: 'contract' })).toMatchObject({
    data: [{ id, type: 'file' }],
  });
});
