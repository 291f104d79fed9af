import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A transcription request. */
export interface TranscriptionRequest {
  authorization: string | undefined;
  model: unknown;
  responseFormat: unknown;
  fileName: string;
  fileType: string;
  bytes: Buffer;
}

/**
 * A fake of OpenAI's `POST /v1/audio/transcriptions` (multipart/form-data in, verbose_json or json out) that returns the same text for every
 * file.
 */
export class SpeechServer {
  readonly requests: TranscriptionRequest[] = [];
  readonly url: string;
  /** The status of answers from now on. */
  status = 200;
  /** The status with which the model refuses `verbose_json`: gpt-4o-transcribe with 400, servers made with FastAPI with 422. */
  onlyJson: 400 | 422 | null = null;
  readonly #server: Server;

  static async start(): Promise<SpeechServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SpeechServer(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      void this.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const { method, url, headers } = request;
    const body = await buffer(request);
    if (method !== 'POST' || url !== '/v1/audio/transcriptions') return { status: 404, body: {} };
    const form = await new Response(new Uint8Array(body), {
      headers: { 'Content-Type': headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file') as File;
    this.requests.push({
      authorization: headers.authorization,
      model: form.get('model'),
      responseFormat: form.get('response_format'),
      fileName: file.name,
      fileType: file.type,
      bytes: Buffer.from(await file.arrayBuffer()),
    });
    if (this.status !== 200) return { status: this.status, body: { error: { message: 'no' } } };
    const segments = [
      { id: 0, seek: 0, start: 0, end: 1.5, text: ' Call me back.', temperature: 0, no_speech_prob: 0.01 },
      { id: 1, seek: 0, start: 1.5, end: 2, text: ' Thanks.', temperature: 0, no_speech_prob: 0.02 },
    ];
    const text = ' Call me back. Thanks.';
    if (this.onlyJson && form.get('response_format') !== 'json') {
      const message = `response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'. Use 'json' or 'text' instead.`;
      return { status: this.onlyJson, body: { error: { message, type: 'invalid_request_error' } } };
    }
    if (this.onlyJson) return { status: 200, body: { text } };
    return { status: 200, body: { task: 'transcribe', language: 'english', duration: 2, text, segments } };
  }
}
