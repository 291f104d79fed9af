import type { Conversation, Parley } from '@parley/sdk';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Services } from '../core/Services.ts';
import { Conversations } from './Conversations.ts';

/* With a real server, a test cannot control when events arrive. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The list of a page, and the requests of its client. */
function page() {
  const handlers = new Map<string, (payload: object) => void>();
  const getConversations = vi.fn(() => Promise.resolve<Conversation[]>([]));
  const client = {
    on: (name: string, handler: (payload: object) => void) => void handlers.set(name, handler),
    messages: { getConversations },
  };
  const conversations = new Conversations(new Services(client as unknown as Parley));
  const receive = (name: string, payload = {}) => handlers.get(name)?.(payload);
  return { conversations, receive, reads: getConversations.mock.calls };
}

it('reads the list at once after an event, and then once a second, however many receipts a message gets', async () => {
  const { conversations, receive, reads } = page();
  await conversations.refresh();
  await vi.advanceTimersByTimeAsync(10_000);
  receive('message:received');
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toHaveLength(2);
  for (let receipt = 0; receipt < 200; receipt++) {
    receive('message:delivered');
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reads).toHaveLength(4);
});

it('reads no list after the end of the session', async () => {
  const { conversations, receive, reads } = page();
  await conversations.refresh();
  receive('message:received');
  receive('connection:changed', { state: 'closed' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reads).toHaveLength(1);
  expect(conversations.store.get().conversations).toBeNull();
});
