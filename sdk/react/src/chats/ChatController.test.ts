import type { Message, Parley } from '@parley/sdk';
import { expect, it, vi } from 'vitest';
import { Services } from '../core/Services.ts';
import { ChatController } from './ChatController.ts';

/* With a real server, the addresses of files expire only after an hour. */

const peer = '0x00000000000000000000000000000000000000bb';
const count = 90;

/** The pictures of a chat, latest first. @param signature of the addresses of their files */
const pictures = (signature: string) =>
  Array.from({ length: count }, (_, at) => {
    const media = { url: `/media/${at}?signature=${signature}`, mimeType: 'image/png', size: 1 };
    const timestamp = new Date(1_000_000 - at);
    return { id: `${at}`, type: 'image', from: peer, content: '', timestamp, media, reactions: [] };
  }) as unknown as Message[];

interface Asked {
  around?: string;
  before?: Date;
  limit: number;
}

/** A chat of three pages, and the requests of its client. */
function chatOfPictures() {
  const state = { signature: 'old' };
  const getMessages = vi.fn(({ around, before, limit }: Asked) => {
    const all = pictures(state.signature);
    const at = all.findIndex(({ id, timestamp }) => (before ? timestamp < before : id === around));
    const start = around === undefined ? Math.max(at, 0) : Math.max(at - limit / 2, 0);
    const end = around === undefined ? start + limit : at + limit / 2;
    return Promise.resolve(all.slice(start, end));
  });
  const client = { on: () => undefined, messages: { getMessages, pending: () => [] } };
  const chat = new ChatController(new Services(client as unknown as Parley), peer, () => undefined);
  const urls = () => chat.store.get().messages?.map(({ media }) => media?.url);
  return { chat, state, urls, getMessages };
}

it('reads the current address of each file that has expired, also of messages before the latest page', async () => {
  const { chat, state, urls, getMessages } = chatOfPictures();
  await chat.refresh();
  await chat.more();
  await chat.more();
  expect(urls()).toHaveLength(count);
  state.signature = 'new';
  getMessages.mockClear();
  // As a browser reports them that shows the chat again.
  await Promise.all(pictures('').map(({ id }) => chat.renew(id)));
  expect(urls()).toEqual(pictures('new').map(({ media }) => media?.url));
  expect(getMessages.mock.calls.length).toBeLessThanOrEqual(3);
});

it('changes nothing but the address of the file', async () => {
  const { chat, state } = chatOfPictures();
  await chat.refresh();
  state.signature = 'new';
  const renewed = chat.renew('1');
  // Events that arrive during the request.
  chat.change(([first, ...others]) => [
    ...(first ? [{ ...first, media: null }] : []),
    ...others.map((message) => ({ ...message, content: 'Edited' })),
  ]);
  await renewed;
  const [deleted, edited] = chat.store.get().messages ?? [];
  expect(deleted).toMatchObject({ id: '0', media: null });
  expect(edited).toMatchObject({ content: 'Edited', media: { url: '/media/1?signature=new' } });
});
