import type { RequestOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import { count, measure, type Counted } from './measure.ts';
import type { MediaSession } from './MediaSession.ts';

type Report = RequestOf<'media.report'>;
type Cause = NonNullable<Report['recoveries']>[number]['cause'];

const reportEveryMs = 10_000;
/** How often, and for how long, it looks whether media flows. It soon looks less often, because reading statistics costs something. */
const look = { everyMs: 100, closelyForMs: 3_000, laterEveryMs: 500, forMs: 20_000 };

/** What is known about the media of a session, besides its statistics. */
interface Course {
  counted: Counted | null;
  /** Sent with the next report. */
  news: Pick<Report, 'joinMs' | 'firstFrameMs' | 'recoveries'>;
}

/**
 * Reports to the server every ten seconds how the media of each call, room and stream is, so that its operator can say later why a call was
 * bad. A report that cannot be sent is dropped.
 */
export class QualityReporter {
  readonly #connection: Connection;
  readonly #sessions: () => MediaSession[];
  readonly #courses = new WeakMap<MediaSession, Course>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(connection: Connection, sessions: () => MediaSession[]) {
    this.#connection = connection;
    this.#sessions = sessions;
  }

  /**
   * Call when a session has joined its media.
   * @param startedAt when joining began, by performance.now()
   */
  joined(session: MediaSession, startedAt: number): void {
    const course = this.#courseOf(session);
    course.news.joinMs = since(startedAt);
    course.counted ??= { at: performance.now(), sending: new Map(), receiving: new Map() };
    this.#timer ??= setInterval(() => this.#reportAll(), reportEveryMs);
    void this.#untilFlowing(session, 'framesDecoded').then((isFlowing) => {
      if (isFlowing) course.news.firstFrameMs = since(startedAt);
    });
  }

  /** Measures how long it takes until media flows again. @param recover resolves when the media has been joined or resumed */
  async recovering(session: MediaSession, cause: Cause, recover: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    await recover();
    const recovered = () => {
      const { news } = this.#courseOf(session);
      news.recoveries = [...(news.recoveries ?? []), { cause, ms: since(startedAt) }].slice(-20);
    };
    // The caller does not wait for the packets.
    if (session.presented.size === 0) recovered();
    else void this.#untilFlowing(session, 'packetsReceived').then((isFlowing) => isFlowing && recovered());
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #courseOf(session: MediaSession): Course {
    const known = this.#courses.get(session) ?? { counted: null, news: {} };
    this.#courses.set(session, known);
    return known;
  }

  #reportAll(): void {
    const sessions = this.#sessions();
    if (sessions.length === 0) return this.close();
    // The next reports say more.
    for (const session of sessions) void this.#report(session).catch(() => undefined);
  }

  async #report(session: MediaSession): Promise<void> {
    const course = this.#courseOf(session);
    const stats = await session.stats();
    // A report opens no connection: the app may have left the room and gone to the background meanwhile.
    if (this.#connection.state !== 'connected') return;
    const now = count(stats, performance.now());
    const before = course.counted;
    course.counted = now;
    const { takesReports } = await this.#connection.welcome();
    if (!before || !takesReports || this.#connection.state !== 'connected') return;
    const { news } = course;
    course.news = {};
    await this.#connection.request('media.report', {
      ...session.room,
      ...measure(before, now, stats.path),
      ...news,
    });
  }

  /** @returns whether a counter of a received track began to count, before the limit and the end of the session */
  async #untilFlowing(session: MediaSession, name: 'framesDecoded' | 'packetsReceived'): Promise<boolean> {
    const startedAt = performance.now();
    while (since(startedAt) < look.forMs && this.#sessions().includes(session)) {
      const { receiving } = session.presented.size > 0 ? await session.stats() : { receiving: [] };
      if (receiving.some((entry) => Number((entry as Counters)[name] ?? 0) > 0)) return true;
      const waitMs = since(startedAt) < look.closelyForMs ? look.everyMs : look.laterEveryMs;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    return false;
  }
}

type Counters = RTCStats & Partial<Record<'framesDecoded' | 'packetsReceived', number>>;

const since = (startedAt: number) => Math.round(performance.now() - startedAt);
