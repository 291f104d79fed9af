import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { SpeechServer } from '../../harness/services/SpeechServer.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { recording, tone } from '../files/mediaSupport.ts';
import { measureSound } from '../recording/measureSound.ts';

let speech: SpeechServer;
let harness: OneNode;
let alice: TestClient;
let bob: TestClient;
const file = await recording('speech.wav', ...tone(2));

beforeAll(async () => {
  speech = await SpeechServer.start();
  harness = await oneNode({
    TRANSCRIPTION_URL: speech.url,
    TRANSCRIPTION_KEY: 'sk-of-the-operator',
    TRANSCRIPTION_MODEL: 'small',
    RATE_LIMIT_VOICEMAIL: '3',
  });
  [alice, bob] = [await harness.client(), await harness.client()];
});
afterAll(async () => {
  await harness?.close();
  speech?.close();
});

it('transcribes a voicemail once for several devices and stores the text', async () => {
  const { id } = await alice.parley.voicemail.record({ to: bob.address, file });
  const tablet = await harness.client(bob.account);
  const [first, second] = await Promise.all(
    [bob, tablet].map(({ parley }) => parley.voicemail.transcribe(id)),
  );
  expect(first).toEqual({
    voicemailId: id,
    text: 'Call me back. Thanks.',
    language: 'english',
    segments: [
      { start: 0, end: 1.5, text: ' Call me back.' },
      { start: 1.5, end: 2, text: ' Thanks.' },
    ],
    createdAt: expect.any(Date) as Date,
  });
  expect(second).toEqual(first);
  expect(await bob.parley.voicemail.transcribe(id)).toEqual(first);
  expect(speech.requests).toHaveLength(1);
  const [request] = speech.requests;
  expect(request).toMatchObject({
    authorization: 'Bearer sk-of-the-operator',
    model: 'small',
    responseFormat: 'verbose_json',
    fileName: 'voicemail.webm',
    fileType: 'audio/webm',
  });
  expect(measureSound(request?.bytes ?? Buffer.alloc(0), 440)).toMatchObject({ codec: 'opus' });
  expect(await bob.parley.voicemail.get(id)).toMatchObject({ transcription: 'Call me back. Thanks.' });
  expect(harness.server.log).not.toContain('Call me back');
});

it('transcribes a voicemail on a second request after the service failed', async () => {
  const { id } = await alice.parley.voicemail.record({ to: bob.address, file });
  speech.status = 500;
  await expect(bob.parley.voicemail.transcribe(id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect((await bob.parley.voicemail.get(id)).transcription).toBeNull();
  speech.status = 200;
  expect(await bob.parley.voicemail.transcribe(id)).toMatchObject({ text: 'Call me back. Thanks.' });
});

it.each([400, 422] as const)(
  'transcribes with a model that knows no times, and says so by %i',
  async (by) => {
    const carol = await harness.client();
    const { id } = await carol.parley.voicemail.record({ to: bob.address, file });
    speech.onlyJson = by;
    expect(await bob.parley.voicemail.transcribe(id)).toMatchObject({
      text: 'Call me back. Thanks.',
      language: null,
      segments: [],
    });
    expect(speech.requests.slice(-2).map(({ responseFormat }) => responseFormat)).toEqual([
      'verbose_json',
      'json',
    ]);
  },
);

it('limits voicemails per sender', async () => {
  const eager = await harness.client();
  for (let count = 0; count < 3; count++) await eager.parley.voicemail.record({ to: bob.address, file });
  const upload = await eager.parley.media.upload(file);
  const request = { id: `vm_${'e'.repeat(24)}`, mediaId: upload.id, to: bob.address };
  await expect(eager.request('voicemail.record', request)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfter: expect.any(Number) as number,
  });
});

it('reports that no transcription service is configured', async () => {
  expect(() => readConfig({ NODE_ENV: 'test', TRANSCRIPTION_KEY: 'x' })).toThrow(
    'TRANSCRIPTION_KEY: requires TRANSCRIPTION_URL',
  );
  const bare = await oneNode();
  try {
    const [from, to] = [await bare.client(), await bare.client()];
    const { id } = await from.parley.voicemail.record({ to: to.address, file });
    await expect(to.parley.voicemail.transcribe(id)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('TRANSCRIPTION_URL') as string,
    });
  } finally {
    await bare.close();
  }
});
