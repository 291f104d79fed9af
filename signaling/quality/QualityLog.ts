import { and, asc, eq, gte } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { Batch } from '../../platform/Batch.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { experienceMetrics } from '../../platform/metrics/metrics.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { WireQuality } from '../../sdk/protocol/quality.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { ParleySocket } from '../socket/RequestContext.ts';
import { findCauses } from './findCauses.ts';
import { qualityLog, type QualityRow } from './tables.ts';

interface QualityLogDeps {
  db: NodePgDatabase;
  cluster: Pick<MediaCluster, 'usageOf'>;
  log: Logger;
}

type EventKind = Exclude<QualityRow['kind'], 'sample'>;

const writing = { everyMs: 2_000, size: 500, limit: 20_000 };
const readAtOnce = 10_000;

/**
 * Keeps what devices report about their media in calls and rooms, and what may explain it. Streams are left out, since a stream may have very
 * many viewers: their reports only count in the metrics. Rows are written together, a few seconds later.
 */
export class QualityLog {
  readonly #deps: QualityLogDeps;
  readonly #rows: Batch<QualityRow>;

  constructor(deps: QualityLogDeps) {
    this.#deps = deps;
    const write = (rows: QualityRow[], mayBeStored: boolean) => this.#store(rows, mayBeStored);
    this.#rows = new Batch({ name: 'quality', ...writing, write, log: deps.log });
  }

  /** Handles a device's report about a room it is in. */
  report(socket: ParleySocket, report: RequestOf<'media.report'>): void {
    const { scope, id, joinMs, firstFrameMs, recoveries = [], ...measured } = report;
    const kind = scope === 'conference' ? 'room' : scope;
    if (joinMs !== undefined) experienceMetrics.join.observe({ kind }, joinMs / 1_000);
    if (firstFrameMs !== undefined) experienceMetrics.firstFrame.observe({ kind }, firstFrameMs / 1_000);
    for (const { cause, ms } of recoveries) experienceMetrics.recovery.observe({ cause }, ms / 1_000);
    const usage = this.#deps.cluster.usageOf(id);
    const scores = socket.data.scores.get(id) ?? { sending: null, receiving: null };
    const server = usage && { load: share(usage.load), cpu: share(usage.cpu) };
    this.#add(id, socket.data.session.wallet, 'sample', { ...measured, scores, server });
  }

  /** Records an event of a device. It has no effect without a device: another node records those of its own devices. */
  event(socket: ParleySocket | undefined, roomId: string, kind: EventKind): void {
    if (socket) this.#add(roomId, socket.data.session.wallet, kind);
  }

  /** Records that a participant left a room, on whichever node its device is. */
  left(roomId: string, party: PartyId): void {
    this.#add(roomId, party, 'left');
  }

  /** The quality of a call or room. @param from leaves out what was before this time */
  async read(subject: string, from: Date | null): Promise<WireQuality> {
    const rows = await this.#deps.db
      .select()
      .from(qualityLog)
      .where(and(eq(qualityLog.subject, subject), from ? gte(qualityLog.at, from) : undefined))
      .orderBy(asc(qualityLog.at))
      .limit(readAtOnce + 1);
    const more = rows.length > readAtOnce ? rows.at(-1) : undefined;
    // Rows of the same time stay together, in the next answer.
    const shown = more ? rows.filter(({ at }) => at < more.at) : rows;
    const participants = new Map<string, WireQuality['participants'][number]>();
    const events: WireQuality['events'] = [];
    for (const { at: time, party: walletAddress, kind, sample } of shown) {
      const at = toIso(time);
      if (kind !== 'sample') events.push({ at, kind, walletAddress });
      else if (sample) {
        const known = participants.get(walletAddress) ?? { walletAddress, samples: [] };
        participants.set(walletAddress, known);
        known.samples.push({ at, ...sample });
      }
    }
    return {
      id: subject,
      participants: [...participants.values()],
      events,
      findings: findCauses([...participants.values()], events),
      nextFrom: more ? toIso(more.at) : null,
    };
  }

  close(): Promise<void> {
    return this.#rows.close();
  }

  /** @param mayBeStored whether rows may be stored already, by an attempt whose answer was lost */
  async #store(rows: QualityRow[], mayBeStored: boolean): Promise<void> {
    const { db } = this.#deps;
    const stored = new Set(mayBeStored ? (await this.#storedLike(rows)).map(keyOf) : []);
    const missing = rows.filter((row) => !stored.has(keyOf(row)));
    if (missing.length > 0) await db.insert(qualityLog).values(missing);
  }

  #storedLike(rows: QualityRow[]): Promise<QualityRow[]> {
    const subjects = [...new Set(rows.map(({ subject }) => subject))];
    const oldest = new Date(Math.min(...rows.map(({ at }) => at.getTime())));
    return this.#deps.db
      .select()
      .from(qualityLog)
      .where(and(isOneOf(qualityLog.subject, subjects), gte(qualityLog.at, oldest)));
  }

  #add(subject: string, party: PartyId, kind: QualityRow['kind'], sample: QualityRow['sample'] = null): void {
    if (subject.startsWith('str_')) return;
    this.#rows.add({ subject, at: new Date(), party, kind, sample });
  }
}

const keyOf = ({ subject, at, party, kind }: QualityRow) => `${subject} ${at.getTime()} ${party} ${kind}`;

const share = (value: number) => Math.round(value * 100) / 100;
