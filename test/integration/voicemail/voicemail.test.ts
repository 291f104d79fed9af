import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { voicemailScenarios } from '../../scenarios/voicemail.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { recording, tone } from '../files/mediaSupport.ts';

let harness: OneNode;
beforeAll(async () => {
  harness = await oneNode();
});
afterAll(() => harness?.close());

describe('voicemail on one node', () => {
  it.each(Object.entries(voicemailScenarios))('%s', (_name, scenario) => scenario(harness));

  it('reserves half of a mailbox for contacts', async () => {
    const [bob, friend, stranger] = [await harness.client(), await harness.client(), await harness.client()];
    // Writing to a wallet makes it a contact.
    await bob.parley.messages.send({ to: friend.address, content: 'Leave me a message', type: 'text' });
    const file = await recording('short.wav', ...tone(1));
    const leave = ({ parley }: typeof bob) => parley.voicemail.record({ to: bob.address, file });
    await leave(friend);
    await fill(bob, 500);
    await expect(leave(stranger)).rejects.toMatchObject({ code: 'CONFLICT' });
    await leave(friend);
    await fill(bob, 1_000);
    await expect(leave(friend)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('still knows a contact that has written a thousand messages since', async () => {
    const [bob, friend] = [await harness.client(), await harness.client()];
    await bob.parley.messages.send({ to: friend.address, content: 'Leave me a message', type: 'text' });
    const file = await recording('short.wav', ...tone(1));
    const leave = () => friend.parley.voicemail.record({ to: bob.address, file });
    await leave();
    await fill(bob, 500);
    await queryDatabase(
      harness.server,
      `INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
       SELECT id || n, conversation, recipient, sender, type, content, sent_at + n * interval '1 millisecond'
       FROM wallet_messages, generate_series(1, 1000) n WHERE sender = $1`,
      [bob.address],
    );
    await leave();
    expect(await bob.parley.voicemail.getAll({ limit: 1 })).toHaveLength(1);
  });
});

/** Copies an existing voicemail to a wallet until its mailbox holds `count` voicemails. */
async function fill({ address }: TestClient, count: number): Promise<void> {
  await queryDatabase(
    harness.server,
    `INSERT INTO voicemails (id, sender, recipient, file_id, status, hidden, max_duration, duration, created_at)
     SELECT 'vm_' || md5($1 || $2 || n::text), sender, recipient, file_id, status, hidden, max_duration, duration, created_at
     FROM (SELECT * FROM voicemails WHERE recipient = $1 LIMIT 1) one,
       generate_series(1, $2::int - (SELECT count(*)::int FROM voicemails WHERE recipient = $1)) n`,
    [address, count],
  );
}
