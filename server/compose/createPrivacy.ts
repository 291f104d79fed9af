import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { hasRoomFor } from '../../platform/system/diskRoom.ts';
import type { Address } from '../../sdk/protocol/address.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { backendContext } from '../../signaling/socket/RequestContext.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import type { FileServices } from '../files/routes.ts';
import type { SessionService } from '../identity/SessionService.ts';
import { sessions as sessionTable } from '../identity/tables.ts';
import type { ProviderServices } from '../identity/provider/routes.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import type { Billing } from '../money/billing/routes.ts';
import { AccountData } from '../privacy/AccountData.ts';
import { Cleaning } from '../privacy/cleaning/Cleaning.ts';
import { Erasure } from '../privacy/erasure/Erasure.ts';
import { Exports } from '../privacy/export/Exports.ts';
import type { Person } from '../privacy/registry/TableData.ts';
import { Retention } from '../privacy/retention/Retention.ts';
import type { RealtimeRules } from '../realtime/RealtimeRules.ts';
import type { Telephony } from '../telephony/Telephony.ts';
import type { XmppService } from '../xmpp/XmppService.ts';
import type { Parts } from './Parts.ts';

interface PrivacyDeps extends Pick<Parts, 'config' | 'db' | 'pool' | 'jobs' | 'log'> {
  audit: AuditLog;
  sessions: SessionService;
  identity: ProviderServices;
  files: FileServices | null;
  billing: Billing;
  telephony: Telephony;
  /** Null if no XMPP server is configured. */
  xmpp: XmppService | null;
  rules: RealtimeRules;
}

/** Creates the parts that remove old data, and export and erase accounts. */
export async function createPrivacy(deps: PrivacyDeps): Promise<AccountData> {
  const { config, db, pool, sessions, identity, files, log, audit } = deps;
  const isApi = config.ROLES.includes('api');
  // Nodes without the role api run none of these jobs.
  const jobs = isApi ? deps.jobs : new ScheduledJobs(db, log);
  const retention = new Retention({ db, jobs, days: config, log });
  if (isApi) await retention.start();
  const minFreeBytes = config.RECORDING_FREE_MEGABYTES * 1024 * 1024;
  const cleaning = new Cleaning({
    ...{ pool, jobs, hour: config.ERASURE_CLEANING_HOUR, log },
    // Only the disk of the embedded database is known.
    hasRoomFor: (bytes) =>
      config.DATABASE_URL === undefined
        ? hasRoomFor(bytes, config.DATA_DIR, minFreeBytes)
        : Promise.resolve(true),
  });
  const end = (person: Person) => endAll(deps, person);
  const endSessions = (tx: Executor, accountId: string) =>
    sessions.endAll(tx, eq(sessionTable.accountId, accountId), noRequest);
  const erasure = new Erasure({ db, jobs, endSessions, end, cleaning, days: config.ERASURE_DAYS, log });
  const workDir = join(config.DATA_DIR, 'work');
  const exports =
    files &&
    new Exports({
      ...{ db, pool, jobs, files: files.files, workDir, days: config.EXPORT_DAYS, log },
      minFreeBytes,
      copies: files.storage instanceof FolderStorage ? 2 : 1,
    });
  return new AccountData({
    db,
    audit,
    proofs: sessions.proofs,
    outsideIdentities: identity.outsideIdentities,
    erasure,
    exports,
  });
}

/** The origin of what the server does by itself. */
const noRequest = { requestId: '', method: '', path: '', ip: '', userAgent: null };

/** Ends what is still running for a person whose account is erased. */
async function endAll(deps: PrivacyDeps, { accountId, wallet, party }: Person): Promise<void> {
  const { db, billing, telephony, xmpp, rules } = deps;
  await billing.stripe?.service.cancel(accountId).catch(ignoreOver);
  await telephony.numbers.releaseAll(accountId);
  await xmpp?.removeAll(accountId);
  const { calls, conferences, streams } = rules.current;
  const { rows } = await db.execute<{ kind: 'room' | 'stream' | 'call'; id: string; network: Network }>(sql`
    SELECT 'room' AS kind, id, network FROM rooms WHERE host = ${party} AND status <> 'ended' UNION ALL
    SELECT 'stream', id, network FROM streams WHERE host = ${party} AND status <> 'ended' UNION ALL
    SELECT 'call', id, NULL FROM calls WHERE ${wallet} IN (caller, callee) AND status IN ('ringing', 'active')`);
  for (const { kind, id, network } of rows) {
    const context = backendContext(party, network);
    const ending: Record<typeof kind, () => Promise<unknown>> = {
      room: () => conferences.rooms.end(context, id),
      stream: () => streams.streams.end(context, id),
      call: () => calls.endFor(wallet as Address, id),
    };
    await ending[kind]().catch(ignoreOver);
  }
}

/** It has ended in the meantime, or is the call of a wallet that the person has blocked, which is for the caller only. */
function ignoreOver(error: unknown): void {
  if (!(error instanceof ParleyError && ['CONFLICT', 'NOT_FOUND'].includes(error.code))) throw error;
}
