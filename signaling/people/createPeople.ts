import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { Notifier } from '../socket/Notifier.ts';
import { EnsNames, type EnsDeps } from './EnsNames.ts';
import { People, type AvatarFiles } from './People.ts';
import { ProfileStore } from './ProfileStore.ts';
import { SavedContacts } from './SavedContacts.ts';

/** The dependencies of names and images that differ between servers. */
export interface PeopleParts {
  avatarFiles: AvatarFiles | null;
  ensResolvers: EnsDeps['resolvers'];
}

interface Given extends PeopleParts {
  db: NodePgDatabase;
  chains: EnsDeps['chains'];
  notifier: Notifier;
  limitFactory: LimitFactory;
  log: Logger;
}

const changesPerMinute = 20;
/** Wallets whose names are read, per minute. */
const readsPerMinute = 5_000;
const findsPerMinute = 30;
/** Wallets whose ENS names are read from the chain, per minute. */
const lookUpsPerMinute = 300;

/** Names and images of wallets: profiles, saved contacts and ENS. */
export function createPeople(given: Given) {
  const { db, chains, ensResolvers: resolvers, limitFactory, log } = given;
  const limit = (name: string, perMinute: number) => limitFactory.perWallet(name, perMinute, 60);
  const profiles = new ProfileStore(db);
  const contacts = new SavedContacts(db);
  const people = new People({
    ...given,
    profiles,
    contacts,
    ens: new EnsNames({ chains, resolvers, log }),
    limits: {
      changing: limit('profiles', changesPerMinute),
      reading: limit('people', readsPerMinute),
      finding: limit('ens searches', findsPerMinute),
      lookingUp: limit('ens names', lookUpsPerMinute),
    },
  });
  const handlers: Handlers<'people'> = {
    'people.profile': (context) => people.profile(context.wallet),
    'people.setProfile': (context, payload) => people.setProfile(context, payload),
    'people.get': (context, payload) => people.get(context, payload.addresses),
    'people.saveContact': (context, payload) => people.saveContact(context, payload),
    'people.removeContact': (context, payload) => people.removeContact(context, payload.address),
    'people.contacts': (context, payload) => contacts.list(context.wallet, payload),
    'people.find': (context, payload) => people.find(context, payload.name),
  };
  return { people, profiles, handlers };
}
