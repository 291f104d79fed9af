import type { Logger } from 'pino';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { WireTranscription, WireVoicemail } from '../../sdk/protocol/voicemail.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { RecipientLimit } from '../RecipientLimit.ts';
import type { SpokenFiles } from './SpokenFiles.ts';
import type { VoicemailRow } from './tables.ts';
import type { Transcriptions } from './Transcriptions.ts';
import type { VoicemailStore } from './VoicemailStore.ts';

interface VoicemailDeps {
  store: VoicemailStore;
  /** Null without file storage. */
  spokenFiles: SpokenFiles | null;
  transcriptions: Transcriptions;
  blockList: BlockList;
  limits: { perSender: Limit; perRecipient: RecipientLimit };
  jobs: ScheduledJobs;
  events: EventLog;
  pushes: Pushes;
  log: Logger;
}

const processing = 'voicemail.process';
const forgotten = 'voicemail.forget';
/** After this time, the process that converts a recording counts as dead. */
const processingMs = 10_000;
/** How long a blocked or deleted voicemail is remembered. Senders that repeat a request because its answer was lost stop doing so earlier. */
const rememberedMs = 10 * 60_000;
/** How much longer than allowed a recording may be, because recorders stop a little late. */
const slackSeconds = 3;
const maxPerWallet = 1_000;
/** A mailbox with this many voicemails takes no more from strangers. The rest is for contacts. */
const maxFromStrangers = 500;

/** The rules of voicemail: who may leave one, how the recording is converted, and who may listen to it. */
export class VoicemailService {
  readonly #deps: VoicemailDeps;

  constructor(deps: VoicemailDeps) {
    this.#deps = deps;
    deps.jobs.on(processing, (row) => this.#onProcessing(row));
    deps.jobs.on(forgotten, ({ subject }) => deps.store.forget(subject));
    deps.pushes.describe('voicemail', async (wallet, id) => {
      const row = await deps.store.findOwn(wallet, id);
      const isWanted = row?.readAt === null && !(await deps.blockList.has(wallet, row.sender));
      return isWanted ? {} : 'old';
    });
    deps.events.render('voicemail:received', (_wallet, stored) =>
      this.#render(stored.map((each) => (each as { id: string }).id)),
    );
  }

  /** Leaves an uploaded recording as a voicemail. If the request is sent again with the same id, there is still only one voicemail. */
  async record(context: RequestContext, request: RequestOf<'voicemail.record'>): Promise<WireVoicemail> {
    const { id, to } = request;
    const { store, limits, blockList, log } = this.#deps;
    if (to === context.wallet)
      throw new ParleyError(
        'VALIDATION_ERROR',
        'to: a wallet cannot leave a voicemail for itself; name another wallet.',
      );
    const known = await store.find(id);
    if (known) return this.#again(context, request, known);
    await limits.perSender.consume(context);
    const hidden = await blockList.has(to, context.wallet);
    const isContact = await limits.perRecipient.consume({ from: context, to });
    if ((await store.count(to)) >= (isContact ? maxPerWallet : maxFromStrangers))
      throw new ParleyError('CONFLICT', 'The recipient’s mailbox is full: send a message instead.');
    const row = newRow(context.wallet, request, hidden);
    const isNew = await store.transaction((tx) => this.#insert(tx, row));
    if (!isNew) return this.record(context, request);
    log.info({ voicemail: id }, 'voicemail recorded');
    return this.#forSender(await this.#process(id));
  }

  async list(context: RequestContext, query: RequestOf<'voicemail.getAll'>): Promise<WireVoicemail[]> {
    return this.#describe(await this.#deps.store.list(context.wallet, query));
  }

  async get(context: RequestContext, id: string): Promise<WireVoicemail> {
    const [voicemail] = this.#describe([await this.#own(context.wallet, id)]);
    if (!voicemail) throw noSuchVoicemail();
    return voicemail;
  }

  async markAsRead(context: RequestContext, id: string): Promise<void> {
    if (!(await this.#deps.store.markAsRead(context.wallet, id))) throw noSuchVoicemail();
  }

  /** Deletes a voicemail and its recording. A new one is remembered: its sender may not have got the answer yet, and repeats the request. */
  async delete(context: RequestContext, id: string): Promise<void> {
    const { store, jobs } = this.#deps;
    await store.transaction(async (tx) => {
      const row = await store.deleteOwn(tx, context.wallet, id);
      if (!row) throw noSuchVoicemail();
      await this.#spokenFiles.discard(tx, row.fileId);
      const until = new Date(row.createdAt.getTime() + rememberedMs);
      if (until > new Date()) await jobs.set(tx, forgotten, id, until);
      else await store.delete(tx, id);
    });
  }

  async transcribe(context: RequestContext, id: string): Promise<WireTranscription> {
    const row = await this.#own(context.wallet, id);
    return this.#deps.transcriptions.of(row, () => this.#spokenFiles.bytesOf(row.fileId));
  }

  get #spokenFiles(): SpokenFiles {
    const { spokenFiles } = this.#deps;
    if (spokenFiles) return spokenFiles;
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      'This server has no file storage and no voicemail: its operator must configure one.',
    );
  }

  async #again(
    context: RequestContext,
    { mediaId, to }: RequestOf<'voicemail.record'>,
    known: VoicemailRow,
  ): Promise<WireVoicemail> {
    if (known.sender !== context.wallet || known.fileId !== mediaId || known.recipient !== to)
      throw new ParleyError('CONFLICT', 'Another voicemail has this id: create a new id.');
    return this.#forSender(known.status === 'processing' ? await this.#process(known.id) : known);
  }

  async #insert(tx: Executor, row: VoicemailRow): Promise<boolean> {
    const { store, jobs } = this.#deps;
    if (!(await store.insert(tx, row))) return false;
    await this.#spokenFiles.attach(tx, { fileId: row.fileId, wallet: row.sender, type: 'audio' });
    await jobs.set(tx, processing, row.id, new Date(Date.now() + processingMs));
    return true;
  }

  /** Checks and converts the recording, then notifies the recipient. May run twice, even concurrently. */
  async #process(id: string): Promise<VoicemailRow> {
    const { store, jobs } = this.#deps;
    const row = await store.find(id);
    if (!row) throw noSuchVoicemail();
    const settled = row.status === 'processing' ? await this.#settle(row) : row;
    await store.transaction((tx) => jobs.cancel(tx, processing, id));
    return settled;
  }

  async #settle(row: VoicemailRow): Promise<VoicemailRow> {
    const { store, jobs, events, pushes } = this.#deps;
    let duration: number;
    try {
      duration = await this.#convert(row);
    } catch (error) {
      if (!(error instanceof ParleyError && error.code === 'VALIDATION_ERROR')) throw error;
      await store.transaction((tx) => this.#drop(tx, row));
      // Another process has settled it, although this one could not convert it: its ffmpeg took too long, or was killed.
      const settled = await store.find(row.id);
      if (settled) return settled;
      throw error;
    }
    const status = row.hidden ? 'blocked' : 'ready';
    const { result, appended } = await events.commit((append) =>
      store.transaction(async (tx): Promise<VoicemailRow> => {
        const settled = await store.settle(tx, row.id, { status, duration });
        // Another process has settled it first.
        if (!settled) return { ...row, status, duration };
        const { id, sender: from, recipient: wallet } = settled;
        if (status === 'ready') {
          await pushes.offer(tx, { wallet, kind: 'voicemail', subject: id, from });
          await append(tx, [{ wallet, event: 'voicemail:received', payload: { id } }]);
        } else {
          await this.#spokenFiles.discard(tx, row.fileId);
          await jobs.set(tx, forgotten, row.id, new Date(Date.now() + rememberedMs));
        }
        return settled;
      }),
    );
    await events.deliver(appended);
    return result;
  }

  async #convert({ fileId, maxDuration }: VoicemailRow): Promise<number> {
    const duration = await this.#spokenFiles.toOpus(fileId);
    if (duration <= maxDuration + slackSeconds) return duration;
    const message = `The recording is ${Math.round(duration)} s long: record at most ${maxDuration} s.`;
    throw new ParleyError('VALIDATION_ERROR', message);
  }

  /** Deletes a voicemail that cannot be converted, unless another process has settled it. */
  async #drop(tx: Executor, { id, fileId }: VoicemailRow): Promise<void> {
    const { store, jobs } = this.#deps;
    if (!(await store.drop(tx, id))) return;
    await jobs.cancel(tx, processing, id);
    await this.#spokenFiles.discard(tx, fileId);
  }

  /** Called when the process that took the voicemail has died or is late. */
  async #onProcessing({ subject }: JobRow): Promise<void> {
    await this.#process(subject).catch((error: unknown) => {
      // No request is waiting for the reason any more, so the refusal is not an error of the job.
      const isOver = error instanceof ParleyError && ['VALIDATION_ERROR', 'NOT_FOUND'].includes(error.code);
      if (!isOver) throw error;
    });
  }

  async #own(wallet: Address, id: string): Promise<VoicemailRow> {
    const row = await this.#deps.store.findOwn(wallet, id);
    // Voicemails to other recipients are reported as not found, even to their sender.
    if (!row) throw noSuchVoicemail();
    return row;
  }

  async #render(ids: string[]): Promise<(WireVoicemail | null)[]> {
    // Without file storage, nobody can listen to them. The wallet's other events must not wait for these.
    if (!this.#deps.spokenFiles) return ids.map(() => null);
    const rows = await this.#deps.store.findReady(ids);
    const described = this.#describe(rows);
    return ids.map((id) => described.find((each) => each.id === id) ?? null);
  }

  #describe(rows: VoicemailRow[]): WireVoicemail[] {
    const spokenFiles = this.#spokenFiles;
    return rows.map((row) => toVoicemail(row, spokenFiles.opusUrlOf(row.fileId)));
  }

  #forSender(row: VoicemailRow): WireVoicemail {
    return { ...toVoicemail(row, ''), isRead: false, transcription: null };
  }
}

function newRow(
  sender: Address,
  { id, mediaId, to, maxDuration }: RequestOf<'voicemail.record'>,
  hidden: boolean,
): VoicemailRow {
  return {
    id,
    sender,
    recipient: to,
    fileId: mediaId,
    status: 'processing',
    hidden,
    maxDuration,
    duration: null,
    createdAt: new Date(),
    readAt: null,
    transcript: null,
    transcribingUntil: null,
  };
}

const toVoicemail = (row: VoicemailRow, audioUrl: string): WireVoicemail => ({
  id: row.id,
  from: row.sender,
  to: row.recipient,
  audioUrl,
  duration: row.duration ?? 0,
  timestamp: toIso(row.createdAt),
  isRead: row.readAt !== null,
  transcription: row.transcript?.text ?? null,
});

const noSuchVoicemail = () =>
  new ParleyError('NOT_FOUND', 'There is no such voicemail: it may have been deleted.');
