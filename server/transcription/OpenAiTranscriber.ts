import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { fetchNamed } from '../outgoing/fetchNamed.ts';
import type { Transcriber } from '../../signaling/voicemail/Transcriber.ts';

interface TranscriberSettings {
  /** The transcription server's base URL, with or without `/v1`, or the full URL of its transcription endpoint. */
  url: string;
  key: string | undefined;
  model: string;
  timeoutMs: number;
}

/** The form with times and the language is asked for first. Newer models, such as gpt-4o-transcribe and Voxtral, refuse it. */
const formats = ['verbose_json', 'json'];
/** How OpenAI and vLLM refuse a form, and how servers that are made with FastAPI do. */
const refusals = [400, 422];
/** The maximum size of an answer in bytes. No transcript of five minutes is longer. */
const longestAnswer = 1024 * 1024;
const answer = z.object({
  text: z.string(),
  language: z.string().max(64).nullish(),
  segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })).nullish(),
});

/** The driver for servers with OpenAI's `/v1/audio/transcriptions`: OpenAI, whisper.cpp or faster-whisper. */
export class OpenAiTranscriber implements Transcriber {
  readonly #settings: TranscriberSettings;
  readonly #address: string;

  constructor(settings: TranscriberSettings) {
    this.#settings = settings;
    const base = settings.url.replace(/\/+$/, '');
    const paths = ['/v1/audio/transcriptions', '/audio/transcriptions', ''];
    this.#address = `${base}${base.endsWith('/audio/transcriptions') ? paths[2] : base.endsWith('/v1') ? paths[1] : paths[0]}`;
  }

  async transcribe({ bytes, mimeType }: Parameters<Transcriber['transcribe']>[0]) {
    const form = new FormData();
    const recording = new Blob([new Uint8Array(bytes)], { type: mimeType });
    form.set('file', recording, `voicemail.${mimeType.replace(/^audio\//, '')}`);
    form.set('model', this.#settings.model);
    const {
      text,
      language = null,
      segments,
    } = await this.#ask(form).catch((cause: unknown) => {
      const message =
        'The transcription service did not answer or could not read the recording. Try again later.';
      throw new ParleyError('SERVICE_UNAVAILABLE', message, { cause });
    });
    return { text: text.trim(), language, segments: segments ?? [] };
  }

  async #ask(form: FormData): Promise<z.infer<typeof answer>> {
    const { key, timeoutMs } = this.#settings;
    const init = {
      method: 'POST',
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      body: form,
      signal: AbortSignal.timeout(timeoutMs),
    };
    let response: Response | undefined;
    for (const format of formats) {
      form.set('response_format', format);
      response = await fetchNamed(this.#address, init, { timeoutMs, maxBytes: longestAnswer });
      if (!refusals.includes(response.status)) break;
    }
    if (!response?.ok) throw new Error(`the transcription service answered ${response?.status}`);
    return answer.parse(await response.json());
  }
}
