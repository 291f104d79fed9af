import { expect, it } from 'vitest';
import type { Address } from '../../sdk/protocol/common.ts';
import type { VoicemailRow } from './tables.ts';
import { Transcriptions } from './Transcriptions.ts';
import type { VoicemailStore } from './VoicemailStore.ts';

/* With a real service, a test cannot control how long each transcription takes. */

const rowOf = (id: string) => ({ id, recipient: 'wallet' as Address, transcript: null }) as VoicemailRow;

/** Transcriptions that end only when the test lets them, and what is asked of the service and the database. */
function slow() {
  const begun: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  let lookUps = 0;
  const store = {
    takeTranscription: (id: string) => {
      lookUps++;
      return Promise.resolve(begun.includes(id) ? null : rowOf(id));
    },
    findOwn: (_wallet: Address, id: string) => Promise.resolve(rowOf(id)),
    transcriptions: {
      whileHeld: (_row: unknown, work: () => Promise<unknown>) => work(),
      release: () => Promise.resolve(null),
    },
  };
  const transcriber = {
    transcribe: async () => {
      await ended;
      return { text: 'Call me back.', language: null, segments: [] };
    },
  };
  const transcriptions = new Transcriptions(store as unknown as VoicemailStore, transcriber);
  const ask = (id: string) =>
    transcriptions.of(rowOf(id), () => {
      begun.push(id);
      return Promise.resolve({ bytes: Buffer.alloc(0), mimeType: 'audio/webm' });
    });
  return { ask, begun, end, lookUps: () => lookUps };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

it('reads the recording once and looks it up once, however many requests of one node wait for the transcript', async () => {
  const { ask, begun, end, lookUps } = slow();
  const asked = Array.from({ length: 200 }, () => ask('vm_1'));
  await turn();
  end();
  expect(new Set((await Promise.all(asked)).map(({ text }) => text))).toEqual(new Set(['Call me back.']));
  expect(begun).toEqual(['vm_1']);
  expect(lookUps()).toBe(1);
});

it('makes four at once, and refuses a wallet that has a hundred waiting', async () => {
  const { ask, begun, end } = slow();
  const asked = Array.from({ length: 104 }, (_, index) => ask(`vm_${index}`));
  await turn();
  expect(begun).toHaveLength(4);
  await expect(ask('vm_other')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 5 });
  end();
  await Promise.all(asked);
  expect(begun).toHaveLength(104);
});
