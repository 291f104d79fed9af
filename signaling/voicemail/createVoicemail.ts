import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { BlockList } from '../calls/BlockList.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { Contacts } from '../Contacts.ts';
import { RecipientLimit } from '../RecipientLimit.ts';
import type { SpokenFiles } from './SpokenFiles.ts';
import type { Transcriber } from './Transcriber.ts';
import { Transcriptions } from './Transcriptions.ts';
import { VoicemailService } from './VoicemailService.ts';
import { VoicemailStore } from './VoicemailStore.ts';

/** The dependencies of voicemail. */
export interface VoicemailParts {
  spokenFiles: SpokenFiles | null;
  transcriber: Transcriber | null;
  /** Voicemails a wallet may leave per minute. */
  perSender: number;
  /** Voicemails a wallet may get per minute from contacts. Voicemails from strangers have a separate limit, half as large. */
  perRecipient: number;
}

interface VoicemailDeps extends VoicemailParts {
  db: NodePgDatabase;
  node: OwnNode;
  jobs: ScheduledJobs;
  blockList: BlockList;
  contacts: Contacts;
  events: EventLog;
  pushes: Pushes;
  limitFactory: LimitFactory;
  log: Logger;
}

export function createVoicemail(deps: VoicemailDeps): Handlers<'voicemail'> {
  const { limitFactory, contacts, perSender, perRecipient } = deps;
  const store = new VoicemailStore(deps.db, deps.node, deps.log);
  const limits = {
    perSender: limitFactory.perWallet('voicemails', perSender, 60),
    perRecipient: new RecipientLimit(limitFactory, contacts, 'voicemailed', perRecipient),
  };
  const transcriptions = new Transcriptions(store, deps.transcriber);
  const voicemail = new VoicemailService({ ...deps, store, limits, transcriptions });
  return {
    'voicemail.record': (context, payload) => voicemail.record(context, payload),
    'voicemail.getAll': (context, payload) => voicemail.list(context, payload),
    'voicemail.get': (context, payload) => voicemail.get(context, payload.voicemailId),
    'voicemail.markAsRead': (context, payload) => voicemail.markAsRead(context, payload.voicemailId),
    'voicemail.delete': (context, payload) => voicemail.delete(context, payload.voicemailId),
    'voicemail.transcribe': (context, payload) => voicemail.transcribe(context, payload.voicemailId),
  };
}
