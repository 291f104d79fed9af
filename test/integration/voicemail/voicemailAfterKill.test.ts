import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { installed } from '../../harness/run/installed.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { download, recording, storedFiles, tone } from '../files/mediaSupport.ts';
import { measureSound } from '../recording/measureSound.ts';

let folder: string;
let harness: OneNode;
/** While this file exists, ffmpeg waits before it starts. */
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

it('delivers voicemails that were being processed when the server was killed', async () => {
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
  // Dave's request is lost with the connection. Alice repeats hers, as the SDK does.
  const lost = dave.request('voicemail.record', request(ids[1], 'd')).catch(() => 'lost');
  const repeated = alice.request('voicemail.record', request(ids[0], 'a')).catch(() => 'lost');
  const waiting = () => queryDatabase(server, "SELECT id FROM voicemails WHERE status = 'processing'");
  await until(async () => (await waiting()).length === 2, 'both are stored');
  expect(await bob.parley.voicemail.getAll()).toEqual([]);
  await server.kill();
  expect([await lost, await repeated]).toEqual(['lost', 'lost']);
  await rm(gate);
  await server.start();
  const sent = await alice.request('voicemail.record', request(ids[0], 'a'));
  expect(sent).toMatchObject({ from: alice.address, to: bob.address, isRead: false });
  for (const sender of [alice, dave]) {
    const received = await bob.event('voicemail:received', ({ from }) => from === sender.address);
    expect(measureSound((await download(received.audioUrl)).bytes, 440)).toMatchObject({ codec: 'opus' });
  }
  const all = await bob.parley.voicemail.getAll();
  expect(all).toHaveLength(2);
  expect(await bob.parley.voicemail.getAll({ limit: 1, offset: 1 })).toEqual([
    { ...all[1], audioUrl: expect.any(String) as string },
  ]);
  // Neither the uploaded originals nor partial results remain.
  await until(() => storedFiles(server).length === 2, 'one file for each');
  expect(
    await queryDatabase(server, "SELECT kind FROM due WHERE kind LIKE 'voicemail.%' OR kind LIKE 'file.%'"),
  ).toEqual([]);
  for (const { id } of await bob.parley.voicemail.getAll()) await bob.parley.voicemail.delete(id);
  await until(() => storedFiles(server).length === 0, 'the files of deleted voicemails are removed');
});
