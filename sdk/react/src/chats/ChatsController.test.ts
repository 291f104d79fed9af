import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../../../test/harness/nodes/Harness.ts';
import { Services } from '../core/Services.ts';
import { ChatsController } from './ChatsController.ts';

/* The controller with the SDK and a real server. */

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode();
});
afterAll(() => harness?.close());

it('shows nothing of a wallet to the one that signs in after it, and marks that one’s messages as read', async () => {
  const [ada, peer, stranger] = [await harness.client(), await harness.client(), await harness.client()];
  const ben = privateKeyToAccount(generatePrivateKey());
  const earlier = await peer.parley.messages.send({ to: ben.address, type: 'text', content: 'For Ben' });
  const later = await peer.parley.messages.send({ to: ada.address, type: 'text', content: 'For Ada' });
  const chats = new ChatsController(new Services(ada.parley));
  const chat = chats.with(peer.address);
  const contents = () => chat.store.get().messages?.map(({ content }) => content);
  await Promise.all([chat.refresh(), chats.conversations.refresh()]);
  await chats.setBlocked(stranger.address, true);
  await peer.parley.messages.setTyping(ada.address, true);
  await expect.poll(() => chats.typing.get().get(peer.address)).toEqual([peer.address]);
  expect(contents()).toEqual(['For Ada']);
  chat.markAsRead();
  expect(await peer.event('message:read')).toMatchObject({ messageId: later.id });

  await ada.parley.signOut();
  expect(contents()).toBeUndefined();
  expect(chats.conversations.store.get().conversations).toBeNull();
  expect(chats.blocked.get()).toBeNull();
  expect(chats.typing.get().size).toBe(0);

  await ada.parley.signIn(ben);
  await chat.refresh();
  expect(contents()).toEqual(['For Ben']);
  chat.markAsRead();
  await expect
    .poll(async () => (await peer.parley.messages.getMessages({ with: ben.address }))[0])
    .toMatchObject({ id: earlier.id, status: 'read' });
  // The list of a page that has shown it is read again.
  await expect
    .poll(() => chats.conversations.store.get().conversations?.map(({ lastMessage }) => lastMessage?.content))
    .toEqual(['For Ben']);
});
