import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { RecordingRow } from '../../signaling/recordings/tables.ts';
import { ffmpegSlots } from '../../test/harness/media/ffmpegs.ts';
import { until } from '../../test/harness/until.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import { RoomRecorder, type RoomDeps } from './RoomRecorder.ts';

/* One participant sends. The test plays ffmpeg's part: it writes the file of each part. */

const host = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const recording: unknown = { id: 'rec', kind: 'conference', roomId: 'room', host };
const written = Buffer.from('what ffmpeg wrote');
let folder: string;
let storage: FolderStorage;
/** The ids of the parts and the peers that receive their media, in the order in which they were started. */
let parts: string[];
let peers: string[];
/** The number of attempts that storage still refuses. */
let refusals: number;
let recorder: RoomRecorder;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-room-'));
  storage = await FolderStorage.open(join(folder, 'files'));
  [parts, peers, refusals] = [[], [], 0];
  recorder = new RoomRecorder(recording as RecordingRow, join(folder, 'parts'), deps());
});
afterEach(async () => {
  refusals = 0;
  await recorder.stop();
  await rm(folder, { recursive: true, force: true });
});

function deps(): RoomDeps {
  let packets = 0;
  const room = {
    peers: () =>
      Promise.resolve([
        { peerId: 'device', tag: { participant: { walletAddress: host } }, sending: ['microphone'] },
      ]),
    countPackets: () => Promise.resolve([{ source: 'microphone', packets: (packets += 50) }]),
    openEgress: ({ peerId }: { peerId: string }) => (peers.push(peerId), Promise.resolve({ tracks: [] })),
    leave: () => Promise.resolve(),
  };
  const store = {
    addPart: (part: { id: string }) => (
      parts.push(part.id),
      Promise.resolve({ ...part, recordingId: 'rec', bytes: 0, chunks: 0 })
    ),
    growPart: () => Promise.resolve(),
  };
  const put = async (key: string, bytes: Buffer) => {
    if (refusals-- > 0) throw new Error('storage is away');
    await storage.put(key, bytes);
  };
  const made: unknown = {
    store,
    storage: { put },
    media: { room: () => room },
    listen: { ip: '127.0.0.1', ports: { min: 42_000, max: 42_998 } },
    log: pino({ level: 'silent' }),
    chunkMs: 20,
    fileLimit: 1,
    slots: ffmpegSlots(),
  };
  return made as RoomDeps;
}

/** Waits for the next part and writes its file. */
async function record(count: number): Promise<void> {
  await until(() => parts.length === count, `part ${count} starts`);
  await writeFile(join(folder, 'parts', `${parts.at(-1)}.mkv`), written);
}

const stored = () => Promise.all(parts.map((id) => storage.exists(`recordings/rec/${id}/0`)));

it('stops only when storage has everything, however often it refuses', async () => {
  await record(1);
  refusals = 25;
  await recorder.stop();
  expect(refusals).toBeLessThan(0);
  expect(await stored()).toEqual([true]);
  await expect(readdir(join(folder, 'parts'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('starts the next part after the clock of the machine was set back', async () => {
  await record(1);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() - 3_600_000);
  recorder.onEgressLost(peers[0] ?? '');
  await record(2);
});

it('starts the next part while storage does not take the one before', async () => {
  refusals = Infinity;
  await record(1);
  recorder.onEgressLost(peers[0] ?? '');
  await record(2);
  expect(await stored()).toEqual([false, false]);
  refusals = 0;
  await recorder.stop();
  expect(await stored()).toEqual([true, true]);
});
