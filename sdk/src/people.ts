import type { Address } from '../protocol/address.ts';
import { ParleyError } from '../protocol/errors.ts';
import { maxPeople } from '../protocol/limits.ts';
import type { Connection } from './connection/Connection.ts';
import type { Listeners } from './connection/Listeners.ts';
import { toAddress } from './connection/toAddress.ts';
import { PersonCache } from './people/PersonCache.ts';
import type { Page, PageQuery, ParleyEvents, Person, Profile, SavedContact } from './types.ts';

/** The fields of the profile to change. */
export interface ProfileChanges {
  /** 1 to 50 characters, or null to remove the name. @default unchanged */
  name?: string | null;
  /** The id of an image that this wallet has uploaded with `media.upload()`, or null to remove the image. @default unchanged */
  avatarId?: string | null;
}

/** Names and images of wallets: `client.people`. */
export class People {
  readonly #connection: Connection;
  readonly #cache: PersonCache;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#cache = new PersonCache((addresses) => connection.request('people.get', { addresses }));
    const update = (walletAddress: Address) => {
      this.#cache.forget(walletAddress);
      events.emit('person:updated', { walletAddress });
    };
    connection.on('person:updated', ({ walletAddress }) => update(walletAddress));
    // Who calls or writes tells its profile from then on.
    const onContact = (from: Address) => {
      if (this.#cache.isNews(from)) update(from);
    };
    connection.on('call:incoming', ({ from }) => onContact(from));
    connection.on('message:received', ({ from }) => onContact(from));
    connection.on('voicemail:received', ({ from }) => onContact(from));
    // Events may have been missed, and another wallet may have signed in.
    connection.on('session:welcome', () => this.#cache.clear());
    connection.on('session:missed', () => this.#cache.clear());
  }

  /**
   * Reads this wallet's own profile.
   * @returns the profile, with null for what is not set
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async profile(): Promise<Profile> {
    return this.#connection.request('people.profile', {});
  }

  /**
   * Changes this wallet's profile. The server tells it only to wallets that this one has to do with: those that it has saved as contacts,
   * called, answered, written to or left a voicemail, those in the same room at the moment, and the members of its groups. Wallets that it has blocked do not get it.
   * In a room, all participants see the name, unless the app gives another one to `conference.join()`.
   * @param changes the name of 1 to 50 characters and the id of an uploaded image; null removes one, and a field that is left out stays as
   * it is. The server stores the middle of the image as a square of 256 pixels
   * @returns the profile
   * @throws ParleyError VALIDATION_ERROR: the name is empty, too long, looks like an address or an ENS name, or contains control characters,
   * or characters that are invisible or change the direction of text; or the file is not an image
   * @throws ParleyError NOT_FOUND: this wallet has no such unused upload
   * @throws ParleyError CONFLICT: the upload is not complete, or was sent in a message
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files
   * @example await client.people.setProfile({ name: 'Alice' });
   */
  async setProfile(changes: ProfileChanges): Promise<Profile> {
    const profile = await this.#connection.request('people.setProfile', changes);
    this.#cache.forget(profile.walletAddress);
    return profile;
  }

  /**
   * Reads the names and images of wallets, as far as they are told to this wallet. Answers are kept for some minutes, and requests that are
   * made at the same time are sent as one, so a list may call this for each of its rows. A name in ENS that the server does not know yet is
   * missing at first; `person:updated` follows when it is known.
   * @param addresses the addresses of 1 to 100 wallets
   * @returns a person for each address, in the same order
   * @throws ParleyError INVALID_ADDRESS: one of them is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: there are more than 100 addresses
   * @throws ParleyError RATE_LIMIT_EXCEEDED: more than 5,000 wallets in a minute. Try again after `retryAfter` seconds
   * @example const [bob] = await client.people.get(['0x…']);
   */
  async get(addresses: (Address | (string & {}))[]): Promise<Person[]> {
    if (addresses.length > maxPeople)
      throw new ParleyError(
        'VALIDATION_ERROR',
        `addresses: at most ${maxPeople} wallets at once, not ${addresses.length}.`,
      );
    return this.#cache.get(addresses.map(toAddress));
  }

  /**
   * Saves a wallet as a contact under a name, which only this wallet sees, on all its devices. If it is a contact already, changes the name.
   * From then on, the contact gets this wallet's profile. A wallet can save 5,000 contacts.
   * @param address the address of the wallet
   * @param name 1 to 50 characters
   * @returns the contact
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: the name is not valid, or the address is this wallet's own
   * @throws ParleyError CONFLICT: there are 5,000 contacts
   */
  async saveContact(address: Address | (string & {}), name: string): Promise<SavedContact> {
    const wallet = toAddress(address);
    const saved = await this.#connection.request('people.saveContact', { address: wallet, name });
    this.#cache.forget(wallet);
    return saved;
  }

  /**
   * Removes a contact. Does nothing if the wallet is not a contact.
   * @param address the address of the contact
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  async removeContact(address: Address | (string & {})): Promise<void> {
    const wallet = toAddress(address);
    await this.#connection.request('people.removeContact', { address: wallet });
    this.#cache.forget(wallet);
  }

  /**
   * Lists the contacts that this wallet has saved, sorted by name.
   * @param query which page. Default: the first 50 contacts
   * @returns a page of contacts
   * @throws ParleyError VALIDATION_ERROR: the limit is not 1 to 100, or the cursor is not of this list
   */
  async contacts(query: PageQuery = {}): Promise<Page<SavedContact>> {
    return this.#connection.request('people.contacts', query);
  }

  /**
   * Finds the wallet that an ENS name names, through the chains that the server is configured with. Names that need an off-chain gateway are
   * not found.
   * @param name the name, such as `vitalik.eth`, up to 255 characters
   * @returns the address of the wallet
   * @throws ParleyError VALIDATION_ERROR: this is not an ENS name
   * @throws ParleyError NOT_FOUND: the name does not exist, or names no wallet
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many searches. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server reads no chain with ENS, or the chain does not answer
   */
  async find(name: string): Promise<Address> {
    const { walletAddress } = await this.#connection.request('people.find', { name });
    return walletAddress;
  }
}
