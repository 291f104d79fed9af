import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ParleyError } from '../../../sdk/src/index.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import { deployGateContract, sendAs, type Deployed } from '../../harness/services/gateContracts.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { RawStreamClient } from '../../harness/clients/RawStreamClient.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { refused } from '../../scenarios/conference.ts';
import { connectDatabase, queryDatabase } from '../money/accountSupport.ts';
import { closeSockets } from '../support.ts';

/* Streams with a gate on a local chain. */

const chainId = 31_337;
let anvil: Anvil;
let nft: Deployed;
let server: ServerProcess;
const clients: TestClient[] = [];

beforeAll(async () => {
  anvil = await startAnvil(chainId);
  nft = await deployGateContract(anvil, 'GateNft');
  server = await ServerProcess.start({
    CHAINS_MAINNET: `${chainId}=${anvil.url}`,
    GATE_RECHECK_SECONDS: '2',
    CALL_GRACE_SECONDS: '2',
  });
});
afterAll(async () => {
  closeSockets();
  clients.forEach((client) => client.close());
  await server?.dispose();
  anvil?.stop();
});

async function client(): Promise<TestClient> {
  const made = await TestClient.signIn(server.url);
  clients.push(made);
  return made;
}

let nextId = 1n;
async function mint(to: Address): Promise<bigint> {
  const id = nextId++;
  await nft.send('mint', to, id);
  return id;
}

const gate = () => ({ type: 'nft', standard: 'erc721', chainId, contractAddress: nft.address }) as const;

describe('a gated stream', () => {
  it('admits viewers while they hold the token', async () => {
    const [host, holder, other] = [await client(), await client(), await client()];
    const token = await mint(holder.address);
    // A wallet that meets the gate can watch even though the stream is private.
    const stream = await host.parley.streaming.create({ title: 'Holders', isPublic: false, gate: gate() });
    expect(stream).toMatchObject({ gateType: 'nft', gate: { type: 'nft', minBalance: '1' } });
    const device = await RawStreamClient.publish(server.url, host, stream.id);
    const error = await other.parley.streaming.watch(stream.id).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'ACCESS_DENIED',
      extra: { allowed: false, missingRequirements: [expect.stringContaining(nft.address)] },
    });
    expect((error as ParleyError).details).toMatchObject([{ code: 'requirement_missing' }]);
    const refusal = await refused(other.parley.streaming.getViewerToken(stream.id));
    expect(refusal).toEqual(['ACCESS_DENIED', 'requirement_missing']);
    // A viewer token from the host does not bypass the gate.
    const { token: shared } = await host.parley.streaming.getViewerToken(stream.id);
    await expect(other.parley.streaming.watch(stream.id, { token: shared })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    const tab = await RawStreamClient.create(server.url, holder, stream.id);
    await tab.ask('streaming.watch', { streamId: stream.id });
    expect((await tab.join()).consumers).toHaveLength(2);
    await holder.parley.streaming.watch(stream.id);
    // Long enough for two gate checks.
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    expect(holder.seen('stream:removed')).toEqual([]);
    const contract = { name: 'GateNft', address: nft.address };
    await sendAs(anvil, holder.address, contract, 'transferFrom', holder.address, other.address, token);
    expect(await holder.event('stream:removed')).toEqual({ streamId: stream.id, reason: 'access_lost' });
    // The wallet's media ends as well.
    await until(() => tab.received('stream:removed').length === 1, 'the other device is notified');
    await expect(tab.join()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await host.event('stream:viewer:count', ({ count }) => count === 0);
    await expect(holder.parley.streaming.watch(stream.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    device.close();
    await host.parley.streaming.end(stream.id);
  });

  it('loses a viewer without the token even if the removal fails at first', async () => {
    const [host, holder, other] = [await client(), await client(), await client()];
    const token = await mint(holder.address);
    const stream = await host.parley.streaming.create({ title: 'Holders', gate: gate() });
    await holder.parley.streaming.watch(stream.id);
    await queryDatabase(
      server,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
    );
    await queryDatabase(
      server,
      'CREATE TRIGGER refuse BEFORE DELETE ON stream_watchings FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    onTestFinished(async () => void (await queryDatabase(server, 'DROP FUNCTION IF EXISTS refuse CASCADE')));
    const contract = { name: 'GateNft', address: nft.address };
    await sendAs(anvil, holder.address, contract, 'transferFrom', holder.address, other.address, token);
    await server.waitForLog('scheduled job failed');
    expect(holder.seen('stream:removed')).toEqual([]);
    await queryDatabase(server, 'DROP FUNCTION refuse CASCADE');
    expect(await holder.event('stream:removed')).toEqual({ streamId: stream.id, reason: 'access_lost' });
    await host.parley.streaming.end(stream.id);
  });

  it('is rejected if its gate is not an NFT contract', async () => {
    const host = await client();
    const invalidGate = { ...gate(), contractAddress: host.address };
    await expect(host.parley.streaming.create({ title: 'x', gate: invalidGate })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

it('notifies a banned viewer only after the ban is committed', async () => {
  const [host, viewer] = [await client(), await client()];
  const stream = await host.parley.streaming.create({ title: 'Open' });
  const tab = await RawStreamClient.create(server.url, viewer, stream.id);
  await tab.ask('streaming.watch', { streamId: stream.id });
  const db = await connectDatabase(server);
  onTestFinished(() => db.end());
  await db.query('BEGIN');
  await db.query('SELECT FROM stream_watchings WHERE stream_id = $1 FOR UPDATE', [stream.id]);
  const banned = host.parley.streaming.ban(stream.id, viewer.address);
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'delete from "stream_watchings"%'`;
  await until(async () => (await queryDatabase(server, waiting)).length > 0, 'the ban waits for the lock');
  // By the time this answer arrives, all events sent before it have arrived too.
  await expect(tab.ask('streaming.getViewerToken', { streamId: stream.id })).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
  });
  expect(tab.received('stream:removed')).toEqual([]);
  await db.query('COMMIT');
  await banned;
  await until(() => tab.received('stream:removed').length === 1, 'the viewer is notified');
});
