import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { installed } from '../../harness/installed.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { download, recording, storedFiles, tone } from '../rooms/mediaSupport.ts';
import { soundOf } from '../recording/soundOf.ts';

let folder: string;
let harness: OneNode;
/** As long as this file is there, ffmpeg waits before it begins. */
let gate: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-slow-ffmpeg-'));
  gate = join(folder, 'gate');
  const ffmpeg = join(folder, 'ffmpeg');
  await writeFile(
    ffmpeg,
    `#!/bin/sh\nwhile [ -e '${gate}' ]; do sleep 0.1; done\nexec '${installed('ffmpeg')}' "$@"\n`,
  );
  await chmod(ffmpeg, 0o755);
  await symlink(installed('ffmpeg').replace(/ffmpeg$/, 'ffprobe'), join(folder, 'ffprobe'));
  harness = await oneNode({ FFMPEG_BIN: ffmpeg });
});
afterAll(async () => {
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

it('what was being looked at when the server was killed arrives, with its sender there or gone', async () => {
  const { server } = harness;
  const [alice, dave, bob] = [await harness.client(), await harness.client(), await harness.client()];
  const file = await recording('speech.wav', ...tone(2));
  await bob.parley.voicemail.getAll();
  const ids = await Promise.all([alice, dave].map(async (who) => (await who.parley.media.upload(file)).id));
  await writeFile(gate, '');
  const request = (mediaId: string | undefined, id: string) => ({
    mediaId,
    id: `vm_${id.repeat(24)}`,
    to: bob.address,
  });
  // This one's connection ends with the server; the other's asks again, as the SDK does.
  const gone = dave.request('voicemail.record', request(ids[1], 'd')).catch(() => 'gone');
  const asked = alice.request('voicemail.record', request(ids[0], 'a')).catch(() => 'gone');
  const waiting = () => queryDatabase(server, "SELECT id FROM voicemails WHERE status = 'processing'");
  await until(async () => (await waiting()).length === 2, 'both are stored');
  expect(await bob.parley.voicemail.getAll()).toEqual([]);
  await server.kill();
  expect([await gone, await asked]).toEqual(['gone', 'gone']);
  await rm(gate);
  await server.start();
  const left = await alice.request('voicemail.record', request(ids[0], 'a'));
  expect(left).toMatchObject({ from: alice.address, to: bob.address, isRead: false });
  for (const sender of [alice, dave]) {
    const told = await bob.event('voicemail:received', ({ from }) => from === sender.address);
    expect(soundOf((await download(told.audioUrl)).bytes, 440)).toMatchObject({ codec: 'opus' });
  }
  expect(await bob.parley.voicemail.getAll()).toHaveLength(2);
  // Neither the recordings as they came nor anything half done is left.
  await until(() => storedFiles(server).length === 2, 'one file for each');
  expect(
    await queryDatabase(server, "SELECT kind FROM due WHERE kind LIKE 'voicemail.%' OR kind LIKE 'file.%'"),
  ).toEqual([]);
  for (const { id } of await bob.parley.voicemail.getAll()) await bob.parley.voicemail.delete(id);
  await until(() => storedFiles(server).length === 0, 'with the voicemails go their recordings');
});
