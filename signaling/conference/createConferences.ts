import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { GatedRooms } from '../gatedRooms/GatedRooms.ts';
import type { Contacts } from '../Contacts.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { Notifier } from '../socket/Notifier.ts';
import { RecipientLimit } from '../RecipientLimit.ts';
import { ConferenceChat } from './ConferenceChat.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { ConferenceMedia } from './ConferenceMedia.ts';
import { ConferenceNotifier } from './ConferenceNotifier.ts';
import { ConferenceMembership } from './ConferenceMembership.ts';
import { ConferenceRecording } from './ConferenceRecording.ts';
import { ConferenceRooms } from './ConferenceRooms.ts';
import { ConferenceStore } from './ConferenceStore.ts';
import { ConferenceMaintenance } from './ConferenceMaintenance.ts';
import { MultipartyEvents } from './MultipartyEvents.ts';
import { conferenceHandlers } from './handlers.ts';

/** Settings of conferences: rate limits per minute or per ten seconds, and addresses. */
export interface ConferenceOptions {
  publicUrl: string;
  roomsPerMinute: number;
  joinsPerMinute: number;
  chatPerMinute: number;
  invitesPerMinute: number;
  invitedPerMinute: number;
  gateChecksPerMinute: number;
  changesPerTenSeconds: number;
  recheckMs: number;
}

type Given = Omit<ConferenceDeps, 'store' | 'notifier' | 'limits' | 'publicUrl' | 'recheckMs'> & {
  db: NodePgDatabase;
  io: ParleyServer;
  notifier: Notifier;
  limitFactory: LimitFactory;
  contacts: Contacts;
};

/** Creates the rules of conferences and gated rooms, for a node that accepts connections. */
export function createConferences(given: Given, options: ConferenceOptions) {
  const { db, io, notifier, limitFactory, media: sessions } = given;
  const limit = (name: string, perMinute: number) => limitFactory.perWallet(name, perMinute, 60);
  const { changesPerTenSeconds } = options;
  const store = new ConferenceStore(db, given.node);
  const deps: ConferenceDeps = {
    ...given,
    ...options,
    store,
    notifier: new ConferenceNotifier({ io, notifier, store }),
    limits: {
      creating: limit('rooms', options.roomsPerMinute),
      joining: limit('joins', options.joinsPerMinute),
      chat: limit('chat', options.chatPerMinute),
      inviting: limit('invites', options.invitesPerMinute),
      invited: new RecipientLimit(limitFactory, given.contacts, 'invited', options.invitedPerMinute),
      checking: limit('gates', options.gateChecksPerMinute),
      changing: limitFactory.perWallet('changes', changesPerTenSeconds, 10),
    },
  };
  const rooms = new ConferenceRooms(deps);
  const memberships = new ConferenceMembership(deps);
  const media = new ConferenceMedia(deps, new MultipartyEvents({ io, notifier }));
  const recording = new ConferenceRecording(deps);
  const gated = new GatedRooms(deps, rooms, memberships);
  const maintenance = new ConferenceMaintenance(deps, memberships, rooms);
  sessions.addScope('conference', media);
  return {
    memberships,
    maintenance,
    handlers: conferenceHandlers({
      rooms,
      memberships,
      media,
      recording,
      gated,
      chat: new ConferenceChat(deps),
    }),
  };
}
