import { expect } from 'vitest';
import type { Harness } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';
import { download, picture, recording, testCard, tone } from '../integration/files/mediaSupport.ts';
import { measureSound } from '../integration/recording/measureSound.ts';

const made = new Map<string, Promise<Buffer>>();

/** A recording of a 440 Hz tone. */
function speech(seconds: number, name: 'speech.wav' | 'speech.m4a' = 'speech.wav'): Promise<Buffer> {
  const key = `${seconds} ${name}`;
  const bytes = made.get(key) ?? recording(name, ...tone(seconds));
  made.set(key, bytes);
  return bytes;
}

/** Scenarios for voicemail, with generated recordings, on one or several nodes. */
export const voicemailScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'reaches every device of its recipient as Opus, and can be read and deleted'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    // A device gets only the events that occur after it has connected.
    await Promise.all([bob, tablet].map(({ parley }) => parley.voicemail.getAll()));
    const sent = await alice.parley.voicemail.record({ to: bob.address, file: await speech(3) });
    expect(sent).toMatchObject({ from: alice.address, to: bob.address, audioUrl: '', isRead: false });
    expect(sent.timestamp).toBeInstanceOf(Date);
    for (const device of [bob, tablet]) {
      const received = await device.event('voicemail:received');
      expect(received).toMatchObject({
        id: sent.id,
        from: alice.address,
        isRead: false,
        transcription: null,
      });
      const { status, headers, bytes } = await download(received.audioUrl);
      expect([status, headers.get('content-type')]).toEqual([200, 'audio/webm']);
      const sound = measureSound(bytes, 440);
      expect(sound).toMatchObject({ codec: 'opus', duration: expect.closeTo(3, 0) as number });
      expect(sound.toneDecibels).toBeGreaterThan(sound.otherDecibels + 20);
      expect(received.duration).toBeCloseTo(3, 0);
    }
    const { voicemail } = bob.parley;
    await voicemail.markAsRead(sent.id);
    expect((await tablet.parley.voicemail.get(sent.id)).isRead).toBe(true);
    expect(await voicemail.getAll({ unreadOnly: true })).toEqual([]);
    const [{ audioUrl } = { audioUrl: '' }] = await voicemail.getAll();
    await voicemail.delete(sent.id);
    expect(await tablet.parley.voicemail.getAll()).toEqual([]);
    expect((await download(audioUrl)).status).toBe(404);
    expect(bob.seen('voicemail:received')).toHaveLength(1);
  },

  async 'is listed newest first, up to the limit'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { id } = await alice.parley.voicemail.record({ to: bob.address, file: await speech(1) });
      ids.unshift(id);
    }
    const { voicemail } = bob.parley;
    expect((await voicemail.getAll()).map(({ id }) => id)).toEqual(ids);
    expect((await voicemail.getAll({ limit: 2 })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    await voicemail.markAsRead(ids[1] ?? '');
    expect((await voicemail.getAll({ unreadOnly: true })).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    await expect(voicemail.getAll({ limit: 101 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  },

  async 'is accessible only to its recipient, not even to its sender'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const { id } = await alice.parley.voicemail.record({ to: bob.address, file: await speech(1) });
    for (const { voicemail } of [alice.parley, carol.parley]) {
      expect(await voicemail.getAll()).toEqual([]);
      for (const attempt of ['get', 'markAsRead', 'delete', 'transcribe'] as const)
        await expect(voicemail[attempt](id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await bob.parley.voicemail.getAll()).toHaveLength(1);
  },

  async 'from a blocked sender seems to be accepted, but is not stored'(harness) {
    const [mallory, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    await bob.parley.calls.block(mallory.address);
    const blocked = await mallory.parley.voicemail.record({ to: bob.address, file: await speech(2) });
    const accepted = await mallory.parley.voicemail.record({ to: carol.address, file: await speech(2) });
    const { id: _, to: __, timestamp: ___, ...shape } = accepted;
    expect(blocked).toMatchObject({ ...shape, to: bob.address });
    expect(Object.keys(blocked)).toEqual(Object.keys(accepted));
    await carol.event('voicemail:received');
    expect([await bob.parley.voicemail.getAll(), bob.seen('voicemail:received')]).toEqual([[], []]);
    // The URL of the sender's upload no longer works, whether the sender is blocked or not.
    const outcomes = await Promise.all(
      [bob, carol].map(async ({ address }) => {
        const upload = await mallory.parley.media.upload(await speech(1));
        const request = { to: address, mediaId: upload.id };
        await leave(mallory, request);
        return (await download(upload.url)).status;
      }),
    );
    expect(outcomes).toEqual([404, 404]);
  },

  async 'is accepted in the audio formats that browsers record, but not as video'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    await alice.parley.voicemail.record({ to: bob.address, file: await speech(2, 'speech.m4a') });
    const { audioUrl } = await bob.event('voicemail:received');
    expect(measureSound((await download(audioUrl)).bytes, 440)).toMatchObject({ codec: 'opus' });
    const video = await recording(
      'video.mp4',
      ...testCard(1),
      ...tone(1),
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv420p',
    );
    for (const file of [video, await picture(), Buffer.from('hello')])
      await expect(alice.parley.voicemail.record({ to: bob.address, file })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
  },

  async 'is rejected without a trace if it is too long, to an invalid recipient or already sent'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const file = await speech(6);
    const { voicemail, media } = alice.parley;
    const refused = (attempt: Promise<unknown>, code: string) =>
      expect(attempt).rejects.toMatchObject({ code });
    await refused(voicemail.record({ to: bob.address, file, maxDuration: 1 }), 'VALIDATION_ERROR');
    await refused(voicemail.record({ to: bob.address, file, maxDuration: 301 }), 'VALIDATION_ERROR');
    await refused(voicemail.record({ to: alice.address, file }), 'VALIDATION_ERROR');
    await refused(voicemail.record({ to: '0x12', file }), 'INVALID_ADDRESS');
    const upload = await media.upload(file);
    await leave(alice, { to: bob.address, mediaId: upload.id });
    await refused(leave(alice, { to: bob.address, mediaId: upload.id }), 'CONFLICT');
    await refused(leave(alice, { to: bob.address, mediaId: `med_${'0'.repeat(24)}` }), 'NOT_FOUND');
    const others = await bob.parley.media.upload(file);
    await refused(leave(alice, { to: bob.address, mediaId: others.id }), 'NOT_FOUND');
    expect(await bob.parley.voicemail.getAll()).toHaveLength(1);
  },

  async 'is stored once if it is sent twice with the same id'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const { id: mediaId } = await alice.parley.media.upload(await speech(1));
    const request = { to: bob.address, mediaId, id: `vm_${'a'.repeat(12)}${alice.address.slice(2, 14)}` };
    const both = await Promise.all([leave(alice, request), leave(alice, request)]);
    expect(both[0]).toEqual(both[1]);
    expect(await leave(alice, request)).toEqual(both[0]);
    for (const other of [
      { ...request, to: carol.address },
      { ...request, mediaId: `med_${'0'.repeat(24)}` },
    ])
      await expect(leave(alice, other)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await until(() => bob.parley.voicemail.getAll(), 'the voicemail is stored')).toHaveLength(1);
  },

  async 'counts as left if it is sent again after its recipient has deleted it'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id: mediaId } = await alice.parley.media.upload(await speech(1));
    const id = newVoicemailId();
    const request = { to: bob.address, mediaId, id };
    const left = await leave(alice, request);
    const { voicemail } = bob.parley;
    await voicemail.delete(id);
    expect(await leave(alice, request)).toEqual(left);
    expect(await voicemail.getAll()).toEqual([]);
    for (const attempt of ['get', 'markAsRead', 'delete', 'transcribe'] as const)
      await expect(voicemail[attempt](id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  },
};

type Client = Awaited<ReturnType<Harness['client']>>;

/** Sends the request that the SDK sends after an upload. The voicemail id can be given. */
async function leave(
  client: Client,
  request: { to: string; mediaId: string; id?: string },
): Promise<unknown> {
  return client.request('voicemail.record', { id: newVoicemailId(), ...request });
}

let ids = 0;
const newVoicemailId = () => `vm_${String(process.pid).padStart(12, '0')}${String(++ids).padStart(12, '0')}`;
