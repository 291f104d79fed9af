import { createPublicClient, http } from 'viem';
import { expect, it } from 'vitest';
import { FakeServer } from '../../test/harness/services/FakeServer.ts';
import { ChainReader } from './ChainReader.ts';

/* How nodes say that a contract has reverted a call. */

/** What a call answers whose node answers with this error. */
async function callWith(error: object) {
  const node = await FakeServer.start(({ body }) => {
    const { id } = JSON.parse(body) as { id: number };
    return { body: { jsonrpc: '2.0', id, error } };
  });
  try {
    const client = createPublicClient({ transport: http(node.url, { retryCount: 0 }) });
    const reader = new ChainReader({ client: () => Promise.resolve(client) });
    return await reader.call(1, [{ to: '0x00000000000000000000000000000000000000AA', data: '0x12345678' }]);
  } finally {
    await node.close();
  }
}

it.each([
  ['geth', { code: 3, message: 'execution reverted', data: '0x' }],
  ['Besu', { code: -32000, message: 'Execution reverted', data: '0x' }],
  ['Nethermind', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }],
  ['an old Nethermind', { code: -32015, message: 'VM execution error.', data: 'revert: no such token' }],
])('takes the revert of %s for an answer', async (_node, error) => {
  expect(await callWith(error)).toEqual([null]);
});

it.each([
  ['a call without enough gas', { code: -32015, message: 'VM execution error.', data: 'OutOfGas' }],
  ['an error of the node', { code: -32603, message: 'Internal error' }],
])('takes %s for a failure', async (_what, error) => {
  await expect(callWith(error)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
