import { setTimeout as delay } from 'node:timers/promises';
import { Arrivals } from '../../bench/rooms/Arrivals.ts';
import { offerOf, serverEndOf } from '../../bench/rooms/sdp.ts';
import { RtpTransport } from '../../harness/clients/RtpTransport.ts';
import { httpErrorOf } from '../report/httpErrorOf.ts';
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
    for (; !this.#isClosed && !this.#run.isOver; await delay(retryMs)) {
      // The server may have ended the session already, and the last attempt may have begun one without media.
      await this.#end().catch(() => undefined);
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
      body: offerOf(transport, 'recvonly'),
      signal: AbortSignal.timeout(requestLimitMs),
    });
    const text = await response.text();
    if (response.status !== 201) throw httpErrorOf(response.status, text);
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
    if (!response.ok) throw httpErrorOf(response.status, text);
  }
}
