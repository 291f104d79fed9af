import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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
  folder = await mkdtemp(join(tmpdir(), "parley's-join-"));
  storage = await FolderStorage.open(join(folder, 'files'));
  const path = join(folder, 'second.mkv');
  const sent = ['-f', 'lavfi', '-i', 'sine', '-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10'];
  const kept = ['-t', '1', '-c:a', 'libopus', '-c:v', 'libvpx', '-f', 'matroska', '-live', '1', path];
  await runTool(ffmpeg, ['-v', 'error', ...sent, ...kept], 20);
  bytes = await readFile(path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A part that starts the given seconds after the first. It lasts one second, if it is not cut off. */
async function part(id: string, seconds: number, isScreen = false, content = bytes): Promise<PartRow> {
  const row = {
    id,
    recordingId: 'rec_1',
    wallet,
    displayName: null,
    isScreen,
    node: 'one',
    bytes: content.length,
    chunks: 1,
  } as const;
  await storage.put(chunkKey(row, 0), content);
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

it('a part that was cut off within its first frame is left out', async () => {
  const firstCluster = bytes.indexOf(Buffer.from('1f43b675', 'hex'));
  const cut = await part('a', 0, false, bytes.subarray(0, firstCluster + 40));
  expect(await joined([cut, await part('b', 5, true)], true)).toEqual([{ isScreen: true, seconds: 1 }]);
});

describe('a part whose ffprobe fails', () => {
  /** A folder with the real ffmpeg, and an ffprobe that is this shell script. */
  async function withProbe(script: string): Promise<string> {
    const tools = await mkdtemp(join(folder, 'tools-'));
    await symlink(ffmpeg, join(tools, 'ffmpeg'));
    await writeFile(join(tools, 'ffprobe'), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    return join(tools, 'ffmpeg');
  }
  const joinedBy = async (tool: string) =>
    joinParts([await part('a', 0)], { folder, keepsGaps: true }, { storage, ffmpeg: tool });

  it('is left out if ffprobe has refused it', async () => {
    expect(await joinedBy(await withProbe('exit 1'))).toEqual([]);
  });

  it('is not left out if ffprobe was ended', async () => {
    // As the system does if the memory is used up.
    await expect(joinedBy(await withProbe('kill -KILL $$'))).rejects.toThrow('ffprobe');
  });

  it('is not left out if ffprobe refuses the joined file only', async () => {
    const probe = ffmpeg.replace(/ffmpeg$/, 'ffprobe');
    const script = `case "$*" in *joined-*) exit 1;; *) exec ${probe} "$@";; esac`;
    await expect(joinedBy(await withProbe(script))).rejects.toThrow('ffprobe');
  });
});
