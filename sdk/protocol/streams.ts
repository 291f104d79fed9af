import { z } from 'zod';
import { displayName, isoDate, plainText, walletAddress } from './common.ts';
import { gateConfig } from './gates.ts';
import { guestIdentity, participantToken, partyId } from './guests.ts';
import { pageOf, paging } from './http.ts';
import { network } from './session.ts';
import { newStream, streamFields, streamStatus, watchedBy } from './streaming.ts';
import { eventStream } from './webhookData.ts';

/* The routes of streams, for backends. */

const streamIdentifier = plainText.max(64).describe('The id of the stream.');
export const streamPath = z.object({ id: streamIdentifier });
export const streamTokenPath = z.object({
  id: streamIdentifier,
  tokenId: plainText.max(64).describe('The id of the participant token (`ptk_…`).'),
});

export const createStream = newStream
  .extend({
    network: network
      .optional()
      .describe(
        'The network on whose chains the gate is checked: `mainnet` or `testnet`. Default: that of the session; `mainnet` for an API key.',
      ),
  })
  .meta({ examples: [{ title: 'Launch', isPublic: false }] });

export const changeStream = z
  .strictObject({
    title: streamFields.title.optional(),
    description: streamFields.description.optional(),
    isPublic: streamFields.isPublic.optional(),
    record: streamFields.record.optional(),
  })
  .meta({ examples: [{ title: 'Launch, part 2' }] });

/** A stream of the account. */
export const stream = eventStream.extend({
  description: z.string().describe('The description; empty if there is none.'),
  host: partyId.describe('The host: the wallet of your account, or `account:…` if it has none.'),
  network,
  isPublic: streamFields.isPublic,
  gate: gateConfig.nullable().describe('The condition that wallets must meet to watch; null without one.'),
  record: streamFields.record,
  viewerCount: z.int().describe('The number of viewers now, by SDK, WHEP and HLS together.'),
  whipUrl: z.string().describe('The address for publishing by WHIP. The stream key is the bearer token.'),
  rtmpUrl: z
    .string()
    .describe(
      'The address for publishing by RTMP, to which the stream key is appended as the last part of the path; empty if the server does not accept RTMP.',
    ),
  whepUrl: z.string().describe('The address for watching by WHEP.'),
  playbackUrl: z.string().describe('The address of the HLS playlist.'),
  watchUrl: z.string().describe('The address of a page for watching the stream.'),
});

/** A stream with its key. */
export const streamWithKey = stream.extend({
  streamKey: z
    .string()
    .describe('The key for publishing. Only the answers that create or reset the key contain it.'),
});

export const streamsQuery = z.strictObject({
  status: streamStatus
    .optional()
    .describe('Only streams in this state: `idle`, `live` or `ended`. Default: all.'),
  ...paging,
});
export const streams = pageOf(stream);

/** A viewer as backends see it. */
export const backendViewer = z.object({
  identity: z
    .string()
    .nullable()
    .describe(
      'The identity in the participant token of a guest; otherwise the wallet. null for a viewer without either.',
    ),
  walletAddress: walletAddress.nullable().describe('The wallet; null for a guest.'),
  isGuest: z.boolean().describe('Whether it watches with a participant token.'),
  displayName: displayName.nullable().describe('The name shown to the host; null without one.'),
  via: watchedBy.describe('How it watches: `sdk`, `whep` or `hls`.'),
  joinedAt: isoDate.describe('When it began to watch.'),
});
export const viewersQuery = z.strictObject(paging);
export const viewers = pageOf(backendViewer);

/** Names a viewer. Exactly one of the two must be given. */
const whichViewer = {
  walletAddress: walletAddress.optional().describe('The wallet. Either this or `identity`.'),
  identity: guestIdentity
    .optional()
    .describe('The identity in the participant tokens of a guest. Either this or `walletAddress`.'),
};
const namesOne = ({ walletAddress: wallet, identity }: { walletAddress?: unknown; identity?: unknown }) =>
  (wallet === undefined) !== (identity === undefined);
export const streamBan = z
  .strictObject(whichViewer)
  .refine(namesOne, { error: 'give either walletAddress or identity', path: ['walletAddress'] })
  .meta({ examples: [{ identity: 'bob' }] });
export const changedBan = z.object({
  walletAddress: walletAddress.nullable().describe('The wallet; null for a guest.'),
  identity: z.string().nullable().describe('The identity of the guest; null for a wallet.'),
  isBanned: z.boolean().describe('Whether it is banned from the stream now.'),
});

export const createViewerToken = z
  .strictObject({
    walletAddress: walletAddress
      .optional()
      .describe(
        'The wallet that watches with the token. Default: anybody who has the token. Required if the stream has a gate.',
      ),
  })
  .meta({ examples: [{}] });
export const viewerToken = z.object({
  token: z
    .string()
    .describe('The token, for WHEP and HLS as `?token=` or bearer token, and for `streaming.watch()`.'),
  expiresAt: isoDate.describe(
    'Until when playback must begin: an hour for a wallet; a day for anybody, unless the stream key is reset before.',
  ),
});

export const streamTokensQuery = z.strictObject(paging);
export const streamTokens = pageOf(participantToken);
