import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'sdp-transform';
import { Arrivals } from '../../bench/rooms/Arrivals.ts';
import { payloadTypes } from '../../bench/rooms/BenchParticipant.ts';
import { extensionIds } from '../../bench/rooms/rtp.ts';
import { RtpTransport, type ServerEnd } from '../../harness/clients/RtpTransport.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import { MediaWatch } from './MediaWatch.ts';

const requestLimitMs = 30_000;
const feedbackMs = 100;
/** After this time without a packet, the viewer starts a new session, like players do. */
const stalledMs = 2_000;
const checkMs = 250;
const retryMs = 500;

/** A viewer by WHEP. It starts again when its media stops. */
export class WhepViewer {
  readonly watch: MediaWatch;
  readonly #run: Run;
  readonly #measures: Measures;
  readonly #url: string;
  readonly #token: string;
  #transport: RtpTransport | null = null;
  #arrivals = new Arrivals();
  /** The address of the session at the server. */
  #session: string | null = null;
  #feedbackDueAt = 0;
  #checkDueAt = 0;
  #restarting: Promise<void> | null = null;
  #isClosed = false;

  /** @returns null if it failed, which is counted */
  static async open(run: Run, measures: Measures, url: string, token: string): Promise<WhepViewer | null> {
    const viewer = new WhepViewer(run, measures, url, token);
    const isOpen = await measures.attempt('WHEP watch', () => viewer.#begin().then(() => true));
    if (!isOpen) {
      await viewer.leave();
      return null;
    }
    viewer.#checkDueAt = performance.now() + stalledMs;
    run.enter(viewer);
    return viewer;
  }

  private constructor(run: Run, measures: Measures, url: string, token: string) {
    this.#run = run;
    this.#measures = measures;
    this.#url = url;
    this.#token = token;
    this.watch = new MediaWatch(measures, performance.now());
  }

  tick(now: number): void {
    if (now >= this.#feedbackDueAt) {
      this.#feedbackDueAt = now + feedbackMs;
      for (const packet of this.#arrivals.reports(now, 1)) this.#transport?.send(packet);
    }
    if (now < this.#checkDueAt) return;
    this.#checkDueAt = now + checkMs;
    if (this.watch.silentMs > stalledMs && !this.#run.isOver)
      this.#restarting ??= this.#restart().finally(() => (this.#restarting = null));
  }

  /** Ends the session at the server. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    this.#run.leave(this);
    await this.#restarting;
    await this.#end().catch((error: unknown) => this.#measures.fail('WHEP end', error));
  }

  async #restart(): Promise<void> {
    this.watch.moves('stalled');
    // The server may have ended the session already.
    await this.#end().catch(() => undefined);
    for (; !this.#isClosed && !this.#run.isOver; await delay(retryMs)) {
      try {
        await this.#begin();
        this.#checkDueAt = performance.now() + stalledMs * 2;
        return;
      } catch (error) {
        this.#measures.fail('WHEP watch again', error);
      }
    }
  }

  async #begin(): Promise<void> {
    const arrivals = new Arrivals();
    const transport = new RtpTransport((packet) => {
      arrivals.take(packet);
      this.watch.take(packet, arrivals === this.#arrivals);
    }, this.#run.bindAddress);
    this.#transport = transport;
    this.#arrivals = arrivals;
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp', Authorization: `Bearer ${this.#token}` },
      body: offerOf(transport),
      signal: AbortSignal.timeout(requestLimitMs),
    });
    const text = await response.text();
    if (response.status !== 201) throw errorOf(response, text);
    this.#session = new URL(response.headers.get('location') ?? '', this.#url).href;
    transport.answer(serverEndOf(text));
    await transport.open();
  }

  async #end(): Promise<void> {
    this.#measures.packets(this.#arrivals.total.packets, this.#arrivals.losses.lost);
    this.#arrivals = new Arrivals();
    this.#transport?.close();
    this.#transport = null;
    const session = this.#session;
    this.#session = null;
    if (session === null) return;
    const headers = { Authorization: `Bearer ${this.#token}` };
    const signal = AbortSignal.timeout(requestLimitMs);
    const response = await fetch(session, { method: 'DELETE', headers, signal });
    const text = await response.text();
    if (!response.ok) throw errorOf(response, text);
  }
}

/** The offer of a player of Opus and VP8, with the header extensions that it reports on. */
function offerOf({ iceParameters, dtlsParameters }: RtpTransport): string {
  const [fingerprint] = dtlsParameters.fingerprints;
  const { opus, vp8 } = payloadTypes;
  const section = (kind: string, mid: number, payloadType: number, codec: string[]) => [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=ice-ufrag:${iceParameters.usernameFragment}`,
    `a=ice-pwd:${iceParameters.password}`,
    `a=fingerprint:${fingerprint?.algorithm} ${fingerprint?.value}`,
    'a=setup:actpass',
    `a=mid:${mid}`,
    'a=recvonly',
    'a=rtcp-mux',
    'a=rtcp-rsize',
    `a=extmap:${extensionIds.absoluteSendTime} http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time`,
    `a=extmap:${extensionIds.transportSequence} http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01`,
    ...codec,
    `a=rtcp-fb:${payloadType} transport-cc`,
  ];
  return [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1',
    ...section('audio', 0, opus, [`a=rtpmap:${opus} opus/48000/2`, `a=fmtp:${opus} useinbandfec=1`]),
    ...section('video', 1, vp8, [`a=rtpmap:${vp8} VP8/90000`, `a=rtcp-fb:${vp8} nack pli`]),
    '',
  ].join('\r\n');
}

/** Reads the server's end of the transport from its answer. */
function serverEndOf(answer: string): ServerEnd {
  const used = parse(answer).media.find(({ port }) => port !== 0);
  const { iceUfrag, icePwd, fingerprint, candidates } = used ?? {};
  if (!iceUfrag || !icePwd || !fingerprint || !candidates) throw new Error('the answer has no transport');
  return {
    iceParameters: { usernameFragment: iceUfrag, password: icePwd },
    iceCandidates: candidates.map(({ foundation, priority, ip, transport, port }) => ({
      foundation,
      priority: Number(priority),
      address: ip,
      ip,
      protocol: transport.toLowerCase() === 'udp' ? 'udp' : 'tcp',
      port,
      type: 'host',
    })),
    dtlsParameters: { fingerprints: [{ algorithm: fingerprint.type, value: fingerprint.hash }] },
  };
}

function errorOf({ status }: Response, text: string): Error {
  const limited = 'RATE_LIMIT_EXCEEDED';
  try {
    const { reason, message } = JSON.parse(text) as { reason?: string; message?: string };
    if (status === 429) return new ParleyError(limited, message ?? limited);
    return Object.assign(new Error(message ?? `HTTP ${status}`), { code: reason ?? `http_${status}` });
  } catch {
    return Object.assign(new Error(`HTTP ${status}`), { code: `http_${status}` });
  }
}
