import { z } from 'zod';
import { displayName, id, isoDate, plainText, walletAddress } from './common.ts';
import { longestMetadata, type PartyId } from './party.ts';

/* Schemas of guests: parties without a wallet, who join a room or stream with a participant token. */

const identityForm = /^[\w.@+:-]{1,64}$/;

/** The identity that a backend gives a guest. */
export const guestIdentity = z
  .string()
  .regex(identityForm, { error: 'must have 1 to 64 letters, digits or _ . @ + : -' })
  .meta({
    description: 'The identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`.',
    examples: ['alice'],
  });

/** A wallet, `guest:…`, or `account:…`. */
export const partyId = z
  .union([
    walletAddress,
    z.string().regex(/^guest:[\w.@+:-]{1,64}$/),
    z.string().regex(/^account:acc_[0-9A-Za-z]{24}$/),
  ])
  .meta({
    description:
      'A wallet (its address, or the CAIP-10 id of a contract wallet), a guest (`guest:…`), or an account without a wallet (`account:…`).',
    examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'guest:alice'],
  }) as unknown as z.ZodType<PartyId, string>;

/** Whether this is a guest, who joined with a participant token. Missing for a wallet. */
export const isGuest = z.literal(true).optional().describe('true for a guest; missing for a wallet.');

export const publishable = z.enum(['microphone', 'camera', 'screen']);
/** What a guest may publish. */
export type Publishable = z.infer<typeof publishable>;

/** What a guest may do in a room. */
export const grants = z.object({
  /** The sources that the guest may publish. The audio of a screen needs `screen`. */
  canPublish: z.array(publishable).max(3).describe('The sources that the guest may publish.'),
  /** Whether the guest receives the media of the others. */
  canSubscribe: z.boolean().describe('Whether the guest receives the media of the others.'),
  /** Whether the guest may write in the chat. */
  canChat: z.boolean().describe('Whether the guest may write in the chat.'),
  /** Whether the guest may send data. */
  canSendData: z.boolean().describe('Whether the guest may send data.'),
});
export type Grants = z.infer<typeof grants>;

/** Text that a backend attaches to a guest, up to 4 KB. */
export const metadata = plainText
  .refine((text) => new TextEncoder().encode(text).length <= longestMetadata, {
    error: `must have at most ${longestMetadata} bytes`,
  })
  .describe('Your own text about the guest, up to 4,096 bytes. Everybody in the room can read it.');

const day = 24 * 60 * 60;

const newToken = {
  identity: guestIdentity,
  /** The name shown to the others. @default the identity */
  displayName: displayName.optional().describe('The name shown to the others. Default: the identity.'),
  /** Your own text about the guest. @default none */
  metadata: metadata.optional(),
  /** How long the token can be used to enter, in seconds. @default 3,600 */
  expiresInSeconds: z
    .int()
    .min(1)
    .max(day)
    .default(60 * 60)
    .describe('How long the token can be used to enter, 1 to 86,400 seconds. Default: 3,600.'),
};

export const newRoomToken = z
  .strictObject({
    ...newToken,
    /** @default 'participant' */
    role: z
      .enum(['host', 'participant', 'viewer'])
      .default('participant')
      .describe('`host` manages the room, `viewer` publishes nothing. Default: `participant`.'),
    canPublish: grants.shape.canPublish
      .default(['microphone', 'camera', 'screen'])
      .describe('The sources that the guest may publish. Default: all.'),
    canSubscribe: grants.shape.canSubscribe.default(true),
    canChat: grants.shape.canChat.default(true),
    canSendData: grants.shape.canSendData.default(true),
  })
  .meta({ examples: [{ identity: 'alice', displayName: 'Alice' }] });

export const newStreamToken = z
  .strictObject({
    ...newToken,
    /** @default 'viewer' */
    role: z
      .enum(['host', 'viewer'])
      .default('viewer')
      .describe('`host` may publish the stream with the SDK. Default: `viewer`.'),
    canChat: grants.shape.canChat.default(true),
  })
  .meta({ examples: [{ identity: 'bob', displayName: 'Bob' }] });

/** A participant token, without its secret. */
export const participantToken = z.object({
  id: id('ptk').describe('The id of the token, which revokes it.'),
  identity: guestIdentity,
  displayName: displayName.nullable().describe('The name shown to the others.'),
  role: z.enum(['host', 'participant', 'viewer']).describe('The role of the guest.'),
  grants: grants.describe('What the guest may do.'),
  metadata: z.string().nullable().describe('Your own text about the guest.'),
  createdAt: isoDate.describe('When the token was created.'),
  expiresAt: isoDate.describe('Until when the token can be used to enter.'),
  revokedAt: isoDate.nullable().describe('When the token was revoked; null if it was not.'),
});

export const createdToken = participantToken.extend({
  /** Shown only here. */
  token: z.string().describe('The token for `new Parley({ participantToken })`. Shown only here.'),
});

/** The guest of a connection, as the server's first event describes it. */
export const welcomedGuest = participantToken
  .pick({ identity: true, displayName: true, role: true, grants: true, metadata: true, expiresAt: true })
  .extend({
    /** The id of the room or stream. */
    subjectId: z.string().describe('The id of the room or stream.'),
  });
export type WelcomedGuest = z.infer<typeof welcomedGuest>;
