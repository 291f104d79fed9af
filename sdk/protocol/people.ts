import { z } from 'zod';
import { nothing, plainText, walletAddress } from './common.ts';
import { fileId } from './files.ts';
import { cursor, pageOf } from './http.ts';
import { maxPeople } from './limits.ts';

/**
 * Control characters, line breaks, invisible characters, and characters that change the direction of the text after them. A name with these
 * could change the text around it or look like another name.
 */
const tricks =
  /[\p{Cc}\p{Zl}\p{Zp}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** The forms of addresses and ENS names. A profile name of these forms could be taken for one. */
const likeAddress = /^(0x[0-9a-f]|eip155:)|\.eth$/i;

/** A name of a wallet. */
export const personName = plainText
  .trim()
  .min(1)
  .max(50)
  .refine((name) => !tricks.test(name), {
    error:
      'must not contain control characters, line breaks, or characters that are invisible or change the direction of text',
  })
  .refine((name) => visible.test(name), { error: 'must contain a letter, digit or symbol' });

const profileName = personName.refine((name) => !likeAddress.test(name), {
  error: 'must not look like a wallet address or an ENS name',
});

/** What a wallet says about itself. */
const profile = z.object({
  walletAddress,
  /** null if the wallet has not set one. */
  name: z.string().nullable(),
  /** A signed address of a small square image, which expires after about an hour; null without an image. */
  avatarUrl: z.string().nullable(),
});
export type WireProfile = z.infer<typeof profile>;

/** A wallet as the wallet that asks knows it. */
const person = z.object({
  walletAddress,
  /** The best name: `contactName`, otherwise `profileName`, otherwise `ensName`; null if there is none. */
  name: z.string().nullable(),
  /** The name in the wallet's profile; null if it has none or does not tell it to this wallet. */
  profileName: z.string().nullable(),
  /** The name under which this wallet has saved it as a contact; null if it has not. */
  contactName: z.string().nullable(),
  /** The primary ENS name of the wallet; null if it has none, or if it is not known yet. */
  ensName: z.string().nullable(),
  /** A signed address of a small square image, which expires after about an hour; null if there is none for this wallet. */
  avatarUrl: z.string().nullable(),
});
export type WirePerson = z.infer<typeof person>;

/** A wallet that this wallet has saved under a name. */
const savedContact = z.object({ walletAddress, name: z.string() });
export type WireSavedContact = z.infer<typeof savedContact>;

export const peopleRequests = {
  /** This wallet's own profile. */
  'people.profile': { request: nothing, response: profile },
  /** Fields that are left out keep their values. */
  'people.setProfile': {
    request: z.strictObject({
      /** null removes the name. */
      name: profileName.nullable().optional(),
      /** An uploaded image; null removes the image. */
      avatarId: fileId.nullable().optional(),
    }),
    response: profile,
  },
  /** One person per address, in the same order. Names in ENS that are not known yet are read, and a `person:updated` follows. */
  'people.get': {
    request: z.strictObject({ addresses: z.array(walletAddress).min(1).max(maxPeople) }),
    response: z.array(person),
  },
  /** Saves a wallet as a contact, or changes the name of a contact. */
  'people.saveContact': {
    request: z.strictObject({ address: walletAddress, name: personName }),
    response: savedContact,
  },
  'people.removeContact': { request: z.strictObject({ address: walletAddress }), response: nothing },
  /** Sorted by name. */
  'people.contacts': {
    request: z.strictObject({
      limit: z.int().min(1).max(100).default(50),
      cursor: cursor.max(500).optional(),
    }),
    response: pageOf(savedContact),
  },
  /** Finds the wallet that an ENS name names. */
  'people.find': {
    request: z.strictObject({ name: plainText.trim().min(3).max(255) }),
    response: z.object({ walletAddress }),
  },
} as const;

export const peopleEvents = {
  /** What this wallet knows of another wallet, or of itself, may have changed. */
  'person:updated': z.object({ walletAddress }),
} as const;
