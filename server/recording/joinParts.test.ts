import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PartRow } from '../../signaling/recordings/tables.ts';
import { installed } from '../../test/harness/run/installed.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import { runTool } from '../files/runTool.ts';
import { chunkKey } from './chunkKey.ts';
import { joinParts } from './joinParts.ts';

/** Joins real recordings made by a real ffmpeg. */

const ffmpeg = installed('ffmpeg');
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
let folder: string;
let storage: FolderStorage;
let bytes: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-join-'));
  storage = await FolderStorage.open(join(folder, 'files'));
  const path = join(folder, 'second.mkv');
  const sent = ['-f', 'lavfi', '-i', 'sine', '-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10'];
  const kept = ['-t', '1', '-c:a', 'libopus', '-c:v', 'libvpx', '-f', 'matroska', '-live', '1', path];
  await runTool(ffmpeg, ['-v', 'error', ...sent, ...kept], 20);
  bytes = await readFile(path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A part of one second that starts the given seconds after the first. */
async function part(id: string, seconds: number, isScreen = false): Promise<PartRow> {
  const row = {
    id,
    recordingId: 'rec_1',
    wallet,
    displayName: null,
    isScreen,
    node: 'one',
    bytes: bytes.length,
    chunks: 1,
  } as const;
  await storage.put(chunkKey(row, 0), bytes);
  return { ...row, startedAt: new Date(1_000_000 + seconds * 1_000) };
}

async function joined(rows: PartRow[], keepsGaps: boolean) {
  const files = await joinParts(rows, { folder, keepsGaps }, { storage, ffmpeg });
  return files.map(({ isScreen, duration }) => ({ isScreen, seconds: Math.round(duration ?? 0) }));
}

describe('the parts of a participant’s recording', () => {
  it('keep their distance in time', async () => {
    const rows = [await part('a', 0), await part('b', 5), await part('c', 20)];
    expect(await joined(rows, true)).toEqual([{ isScreen: false, seconds: 21 }]);
  });

  it('follow each other without gaps if gaps are not kept', async () => {
    const rows = [await part('a', 0), await part('b', 5), await part('c', 20)];
    expect(await joined(rows, false)).toEqual([{ isScreen: false, seconds: 3 }]);
  });

  it('are not joined if a screen was shared again', async () => {
    const rows = [await part('a', 0), await part('b', 2, true), await part('c', 4), await part('d', 6, true)];
    expect(await joined(rows, true)).toEqual([
      { isScreen: false, seconds: 5 },
      { isScreen: true, seconds: 1 },
      { isScreen: true, seconds: 1 },
    ]);
  });
});
