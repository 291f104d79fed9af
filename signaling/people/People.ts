import type { Logger } from 'pino';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { WirePerson, WireProfile, WireSavedContact } from '../../sdk/protocol/people.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Attachments } from '../messages/Attachments.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { EnsNames } from './EnsNames.ts';
import type { ProfileStore } from './ProfileStore.ts';
import type { SavedContacts } from './SavedContacts.ts';
import type { ProfileRow } from './tables.ts';

/** Storage of the images in profiles. */
export interface AvatarFiles extends Pick<Attachments, 'attach' | 'describe' | 'discard'> {
  /**
   * Replaces an unused upload of the wallet with a small square image, unless that is already done.
   * @throws ParleyError NOT_FOUND, VALIDATION_ERROR (not an image), CONFLICT (the upload is not complete)
   */
  toAvatar(wallet: Address, fileId: string): Promise<void>;
}

interface PeopleDeps {
  profiles: ProfileStore;
  contacts: SavedContacts;
  ens: EnsNames;
  notifier: Notifier;
  /** Null without file storage. */
  avatarFiles: AvatarFiles | null;
  limits: {
    /** Changes of profiles, which are sent to many wallets. */
    changing: Limit;
    /** Wallets whose names are read. */
    reading: Limit;
    /** Searches for ENS names. */
    finding: Limit;
    /** Wallets whose ENS names are read. */
    lookingUp: Limit;
  };
  log: Logger;
}

/** The names and images of wallets, as each other wallet may see them. */
export class People {
  readonly #deps: PeopleDeps;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
  }

  async profile(wallet: Address): Promise<WireProfile> {
    return this.#toProfile(await this.#deps.profiles.find(wallet));
  }

  async setProfile(
    context: RequestContext,
    { name, avatarId }: RequestOf<'people.setProfile'>,
  ): Promise<WireProfile> {
    const { profiles, limits, log } = this.#deps;
    const { wallet } = context;
    await limits.changing.consume(context);
    const { avatarFile: former } = await profiles.find(wallet);
    // A request that is sent again, because its answer was lost, names an image that is already in use.
    const isNewImage = avatarId && avatarId !== former;
    if (isNewImage) await this.#avatarFiles.toAvatar(wallet, avatarId);
    const row = await profiles.transaction(async (tx) => {
      const before = await profiles.lock(tx, wallet);
      const after = {
        wallet,
        name: name === undefined ? before.name : name,
        avatarFile: avatarId === undefined ? before.avatarFile : avatarId,
      };
      if (after.avatarFile !== before.avatarFile) {
        if (after.avatarFile)
          await this.#avatarFiles.attach(tx, { fileId: after.avatarFile, wallet, type: 'image' });
        if (before.avatarFile) await this.#avatarFiles.discard(tx, before.avatarFile);
      }
      await profiles.change(tx, after);
      return after;
    });
    // Before the answer, so that what the wallet does next does not change who is told.
    await this.#announce(wallet).catch((err: unknown) =>
      log.warn({ err, wallet }, 'change of profile not announced'),
    );
    return this.#toProfile(row);
  }

  /** Answers immediately with the ENS names that are known. The others are read, and the device gets an event if one is found. */
  async get(context: RequestContext, addresses: Address[]): Promise<WirePerson[]> {
    const { ens, limits, log } = this.#deps;
    const { wallet, network } = context;
    await limits.reading.consume(context, addresses.length);
    const [rows, saved] = await this.#namesFor(wallet, addresses);
    const files = [...rows.values()].flatMap(({ avatarFile }) => avatarFile ?? []);
    const images = await this.#deps.avatarFiles?.describe(files);
    const ensNames = ens.known(network, addresses);
    const unknown = [...new Set(addresses.filter((address) => !ensNames.has(address)))];
    if (unknown.length > 0)
      this.#lookUp(context, unknown).catch((err: unknown) =>
        log.debug({ err, wallet }, 'ENS names not looked up'),
      );
    return addresses.map((walletAddress) => {
      const profile = rows.get(walletAddress);
      const profileName = profile?.name ?? null;
      const contactName = saved.get(walletAddress) ?? null;
      const ensName = ensNames.get(walletAddress) ?? null;
      const avatarUrl = images?.get(profile?.avatarFile ?? '')?.url ?? null;
      const name = contactName ?? profileName ?? ensName;
      return { walletAddress, name, profileName, contactName, ensName, avatarUrl };
    });
  }

  /** The name by which the first wallet knows the other one, without ENS. */
  async nameFor(viewer: Address, wallet: Address): Promise<string | null> {
    const [rows, saved] = await this.#namesFor(viewer, [wallet]);
    return saved.get(wallet) ?? rows.get(wallet)?.name ?? null;
  }

  async saveContact(
    { wallet }: RequestContext,
    { address: walletAddress, name }: RequestOf<'people.saveContact'>,
  ): Promise<WireSavedContact> {
    await this.#deps.contacts.save(wallet, walletAddress, name);
    this.#announceContact(wallet, walletAddress);
    return { walletAddress, name };
  }

  async removeContact({ wallet }: RequestContext, address: Address): Promise<void> {
    await this.#deps.contacts.remove(wallet, address);
    this.#announceContact(wallet, address);
  }

  /** @throws ParleyError NOT_FOUND */
  async find(context: RequestContext, name: string): Promise<{ walletAddress: Address }> {
    const { ens, limits } = this.#deps;
    await limits.finding.consume(context);
    const walletAddress = await ens.find(context.network, name);
    if (walletAddress) return { walletAddress };
    throw new ParleyError('NOT_FOUND', `The name ${name} names no wallet: check its spelling.`);
  }

  #namesFor(viewer: Address, wallets: Address[]) {
    const { profiles, contacts } = this.#deps;
    return Promise.all([profiles.toldTo(viewer, wallets), contacts.namesOf(viewer, wallets)]);
  }

  async #lookUp(context: RequestContext, wallets: Address[]): Promise<void> {
    const { ens, limits, notifier } = this.#deps;
    await limits.lookingUp.consume(context, wallets.length);
    for (const walletAddress of await ens.lookUp(context.network, wallets))
      notifier.toSocket(context.socketId, 'person:updated', { walletAddress });
  }

  async #announce(wallet: Address): Promise<void> {
    const { profiles, notifier } = this.#deps;
    const event = { walletAddress: wallet };
    notifier.toWallet(wallet, 'person:updated', event);
    for (const other of await profiles.audienceOf(wallet)) notifier.toWallet(other, 'person:updated', event);
  }

  /** Tells all devices of the wallet. The contact gets no event: it must not notice that it was saved. */
  #announceContact(wallet: Address, walletAddress: Address): void {
    this.#deps.notifier.toWallet(wallet, 'person:updated', { walletAddress });
  }

  async #toProfile({ wallet, name, avatarFile }: ProfileRow): Promise<WireProfile> {
    const images = avatarFile ? await this.#deps.avatarFiles?.describe([avatarFile]) : undefined;
    return { walletAddress: wallet, name, avatarUrl: images?.get(avatarFile ?? '')?.url ?? null };
  }

  get #avatarFiles(): AvatarFiles {
    const { avatarFiles } = this.#deps;
    if (avatarFiles) return avatarFiles;
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      'This server has no file storage, so it stores no images: set a name only.',
    );
  }
}
