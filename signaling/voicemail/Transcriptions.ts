import { ParleyError } from '../../sdk/protocol/errors.ts';
import { toIso, type IsoDate } from '../../sdk/protocol/common.ts';
import type { WireTranscription } from '../../sdk/protocol/voicemail.ts';
import type { Transcript, VoicemailRow } from './tables.ts';
import type { Transcriber } from './Transcriber.ts';
import type { VoicemailStore } from './VoicemailStore.ts';

type Recording = Parameters<Transcriber['transcribe']>[0];

const leaseSeconds = 150;
const patienceMs = 60_000;
const pollMs = 250;

/** Texts of voicemails: asked for once each, however many devices want them. */
export class Transcriptions {
  readonly #store: VoicemailStore;
  readonly #transcriber: Transcriber | null;

  /** @param transcriber null where there is none */
  constructor(store: VoicemailStore, transcriber: Transcriber | null) {
    this.#store = store;
    this.#transcriber = transcriber;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE without a transcriber, or when it is away */
  async of({ id, transcript }: VoicemailRow, read: () => Promise<Recording>): Promise<WireTranscription> {
    if (transcript) return toTranscription(id, transcript);
    const transcriber = this.#transcriber;
    if (!transcriber) {
      const message = 'This server has no transcription: whoever runs it can set TRANSCRIPTION_URL.';
      throw new ParleyError('SERVICE_UNAVAILABLE', message);
    }
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      if (await this.#store.claimTranscription(id, leaseSeconds))
        return toTranscription(id, await this.#transcribe(id, transcriber, read));
      // Another device asked before.
      const row = await this.#store.find(id);
      if (!row) throw new ParleyError('NOT_FOUND', 'There is no such voicemail.');
      if (row.transcript) return toTranscription(id, row.transcript);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The transcription takes too long: ask again in a moment.');
  }

  async #transcribe(
    id: string,
    transcriber: Transcriber,
    read: () => Promise<Recording>,
  ): Promise<Transcript> {
    let made: Transcript | null = null;
    try {
      made = { ...(await transcriber.transcribe(await read())), createdAt: toIso(new Date()) };
      return made;
    } finally {
      await this.#store.endTranscription(id, made);
    }
  }
}

function toTranscription(voicemailId: string, { createdAt, ...rest }: Transcript): WireTranscription {
  return { voicemailId, ...rest, createdAt: createdAt as IsoDate };
}
