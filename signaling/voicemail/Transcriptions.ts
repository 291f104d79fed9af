import { ParleyError } from '../../sdk/protocol/errors.ts';
import { Slots } from '../../platform/limits/Slots.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { WireTranscription } from '../../sdk/protocol/voicemail.ts';
import type { Transcript, VoicemailRow } from './tables.ts';
import type { Transcriber } from './Transcriber.ts';
import type { VoicemailStore } from './VoicemailStore.ts';

type Recording = Parameters<Transcriber['transcribe']>[0];

const patienceMs = 60_000;
const pollMs = 250;
/** How many are made at once, because each holds a recording of several megabytes, and how many may wait. Waiting wallets take turns. */
const [atOnce, maxWaiting, maxPerWallet] = [4, 500, 100];

/** Transcripts of voicemails. Each is made once, however many devices ask. */
export class Transcriptions {
  readonly #store: VoicemailStore;
  readonly #transcriber: Transcriber | null;
  readonly #slots = new Slots(atOnce, maxWaiting, maxPerWallet);
  /** Those that this process makes or waits for, by voicemail. */
  readonly #running = new Map<string, Promise<WireTranscription>>();

  /** @param transcriber null when none is configured */
  constructor(store: VoicemailStore, transcriber: Transcriber | null) {
    this.#store = store;
    this.#transcriber = transcriber;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE without a transcriber, when it does not answer, or when too many are waiting */
  async of(row: VoicemailRow, read: () => Promise<Recording>): Promise<WireTranscription> {
    const { id, recipient, transcript } = row;
    if (transcript) return { voicemailId: id, ...transcript };
    const transcriber = this.#transcriber;
    if (!transcriber) {
      const message = 'This server has no transcription: its operator can set TRANSCRIPTION_URL.';
      throw new ParleyError('SERVICE_UNAVAILABLE', message);
    }
    const make = () => this.#make(row, transcriber, read);
    const running =
      this.#running.get(id) ?? this.#slots.run(make, recipient).finally(() => this.#running.delete(id));
    this.#running.set(id, running);
    return running;
  }

  /** Makes a transcript, or waits until another process has made it. */
  async #make(
    { id, recipient }: VoicemailRow,
    transcriber: Transcriber,
    read: () => Promise<Recording>,
  ): Promise<WireTranscription> {
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      const held = await this.#store.takeTranscription(id);
      if (held) return { voicemailId: id, ...(await this.#transcribe(held, transcriber, read)) };
      const row = await this.#store.findOwn(recipient, id);
      if (!row) throw new ParleyError('NOT_FOUND', 'There is no such voicemail: it may have been deleted.');
      if (row.transcript) return { voicemailId: id, ...row.transcript };
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The transcription takes too long: ask again in a moment.');
  }

  async #transcribe(
    held: VoicemailRow,
    transcriber: Transcriber,
    read: () => Promise<Recording>,
  ): Promise<Transcript> {
    const { transcriptions } = this.#store;
    let made: { transcript?: Transcript } = {};
    try {
      const heard = await transcriptions.whileHeld(held, async () => transcriber.transcribe(await read()));
      const transcript = { ...heard, createdAt: toIso(new Date()) };
      made = { transcript };
      return transcript;
    } finally {
      await transcriptions.release(held, made);
    }
  }
}
