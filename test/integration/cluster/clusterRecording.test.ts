import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WireRecording } from '../../../sdk/protocol/recordings.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { RawMediaClient } from '../../harness/clients/RawMediaClient.ts';
import { download } from '../files/mediaSupport.ts';
import { probeMedia } from '../recording/recordingSupport.ts';
import { closeSockets, newWallet, signIn } from '../support.ts';

/* The node that records a room dies, and another node continues the recording. */

let cluster: Cluster;
let folder: string;
let db: pg.Client;
const devices: RawMediaClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-recorded-'));
  cluster = await twoNodes({ FILES_DIR: folder, RECORDING_CHUNK_SECONDS: '0.5' });
  db = new pg.Client(cluster.postgres.url);
  await db.connect();
}, 120_000);
afterAll(async () => {
  for (const device of devices) device.close();
  closeSockets();
  await db?.end();
  await cluster?.close();
  await rm(folder, { recursive: true, force: true });
});

async function deviceAt({ server }: ClusterNode, token: string): Promise<RawMediaClient> {
  const device = await RawMediaClient.connect(server.url, token);
  devices.push(device);
  return device;
}

it('continues the recording of a room on another node', { timeout: 120_000 }, async () => {
  const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
  const [host, guest] = [newWallet(), newWallet()];
  const hostToken = (await signIn(second.server.url, host)).token;
  const guestToken = (await signIn(second.server.url, guest)).token;
  const [before, listener] = [await deviceAt(first, hostToken), await deviceAt(second, guestToken)];
  const { id: roomId } = await before.ask('conference.create', { name: 'Team', maxParticipants: 5 });
  for (const device of [before, listener]) await device.ask('conference.join', { roomId });
  await before.publish('conference', roomId);
  const { id: recordingId } = await before.ask('conference.startRecording', { roomId });
  const nodes = async () => {
    const text = 'SELECT DISTINCT node FROM recording_parts WHERE recording_id = $1 AND bytes > 6000';
    return (await db.query(text, [recordingId])).rows.length;
  };
  await until(async () => (await nodes()) === 1, 'the recording runs');
  await first.server.kill();

  const announced = () => listener.events.all<{ recording: boolean }>('conference:recording');
  await until(() => announced().length === 2, 'participants are notified again');
  const after = await deviceAt(second, hostToken);
  const joined = await after.ask('conference.join', { roomId });
  expect(joined).toMatchObject({ room: { isRecording: true, recordedBy: host.address } });
  await after.publish('conference', roomId);
  await until(async () => (await nodes()) === 2, 'the other node records');
  await after.ask('conference.end', { roomId });
  await after.events.first<WireRecording>('recording:updated', ({ status }) => status === 'ready');
  const { files, endReason } = await after.ask('recordings.get', { recordingId });
  expect(endReason).toBe('over');
  expect(files).toMatchObject([{ walletAddress: host.address, startSeconds: 0 }]);
  const address = new URL(files[0]?.url ?? '');
  const { bytes } = await download(`${second.server.url}${address.pathname}${address.search}`);
  const film = probeMedia(bytes);
  expect(film).toMatchObject({ video: 'vp8', audio: 'opus' });
  // Both parts together.
  expect(film.seconds).toBeGreaterThan(1.5);
});
