import { z } from 'zod';
import { isoDate, nothing, plainText } from './common.ts';
import { partyId } from './guests.ts';
import { scope } from './media.ts';

/* The quality of media: what SDKs measure and report, and what is kept of it. */

const percent = z.number().min(0).max(100);
const ms = z.number().min(0).max(600_000);
const kbps = z.number().min(0).max(10_000_000);
const height = z.int().min(0).max(16_384);
const fps = z.number().min(0).max(1_000);

/** What a device measured since its last report. A value that its browser does not measure is null. */
export const measured = z.object({
  path: z
    .object({
      over: z
        .enum(['udp', 'tcp', 'tls'])
        .describe('The transport to the server, or to the TURN server that relays.'),
      relayed: z.boolean().describe('Whether a TURN server relays.'),
    })
    .nullable()
    .describe('How the media reaches the server; null while it is not connected.'),
  roundTripMs: ms.nullable().describe('The round trip between device and server, in milliseconds.'),
  sending: z
    .object({
      kbps: kbps.describe('What the device sent, in kbit/s.'),
      availableKbps: kbps.nullable().describe('The bandwidth that the browser estimates, in kbit/s.'),
      lossPercent: percent.nullable().describe('Lost packets, in percent.'),
      jitterMs: ms.nullable().describe('Jitter, in milliseconds.'),
      layers: z.int().min(0).max(16).describe('How many layers of video the device sent.'),
      height: height.nullable().describe('The height of the largest video that it sent, in pixels.'),
      fps: fps.nullable().describe('Its frames per second.'),
      limitedBy: z
        .enum(['none', 'cpu', 'bandwidth', 'other'])
        .nullable()
        .describe('What made the browser send less than it wanted.'),
    })
    .nullable()
    .describe('What the device sent; null if it sent nothing.'),
  receiving: z
    .object({
      kbps: kbps.describe('What the device received, in kbit/s.'),
      lossPercent: percent.nullable().describe('Lost packets, in percent.'),
      jitterMs: ms.nullable().describe('Jitter, in milliseconds.'),
      height: height.nullable().describe('The height of the largest video that it received, in pixels.'),
      fps: fps.nullable().describe('Its frames per second.'),
      freezes: z.int().min(0).max(100_000).nullable().describe('How often a video stood still.'),
      frozenMs: ms.nullable().describe('How long videos stood still, all together, in milliseconds.'),
      concealedPercent: percent
        .nullable()
        .describe('The part of the sound that was missing and made up by the browser, in percent.'),
    })
    .nullable()
    .describe('What the device received; null if it received nothing.'),
});
export type Measured = z.infer<typeof measured>;

/** An interruption of a device's media that is over. */
const recovery = z.strictObject({ cause: z.enum(['worker', 'node', 'drain', 'network']), ms });

export const qualityRequests = {
  /** Reports the media quality of this device in a call, room or stream. SDKs send it every ten seconds. */
  'media.report': {
    request: z.strictObject({
      scope,
      id: plainText.max(64),
      ...measured.shape,
      /** In the first report: the time until the media was joined, and until the first video frame of another participant was decoded. */
      joinMs: ms.optional(),
      firstFrameMs: ms.optional(),
      recoveries: z.array(recovery).max(20).optional(),
    }),
    response: nothing,
  },
} as const;

const score = (direction: string) =>
  z.number().min(0).max(10).nullable().describe(`What the device ${direction}, 0 to 10; null without media.`);
const usage = (of: string) => z.number().describe(`${of}, 0 to 1.`);

export const qualitySample = z.object({
  at: isoDate.describe('When the device reported it. It covers about the ten seconds before.'),
  ...measured.shape,
  scores: z
    .object({ sending: score('sends'), receiving: score('receives') })
    .describe('How the server rates the connection in each direction.'),
  server: z
    .object({ load: usage('Its media load'), cpu: usage('The share of its cores in use') })
    .nullable()
    .describe('The node that owns the room; null if it is not known.'),
});
export type WireQualitySample = z.infer<typeof qualitySample>;

export const qualityEventKinds = [
  'joined',
  'left',
  'connection_lost',
  'connection_back',
  'media_disconnected',
  'worker_died',
  'node_died',
  'moved',
] as const;

export const qualityCauses = [
  'node_died',
  'worker_died',
  'machine_full',
  'server_network',
  'participant_network',
  'participant_device',
  'connection_lost',
] as const;
export type QualityCause = (typeof qualityCauses)[number];

const party = partyId.describe('The wallet, or `guest:…` for a guest.');

const finding = z.object({
  cause: z
    .enum(qualityCauses)
    .describe(
      'What was wrong: a node or media worker died, the machine was full, the network of the server or of one participant was bad, a device was too slow, or a device lost its connection.',
    ),
  walletAddress: party
    .nullable()
    .describe('The participant that it concerns; null if it concerns everybody.'),
  from: isoDate.describe('When it began.'),
  to: isoDate.describe('When it was over.'),
  message: z.string().describe('The same as a sentence in English.'),
});
export type WireFinding = z.infer<typeof finding>;

/** The answer of `GET /rooms/:id/quality` and `GET /calls/:id/quality`. */
export const quality = z.object({
  id: z.string().describe('The room or call.'),
  participants: z
    .array(
      z.object({
        walletAddress: party,
        samples: z.array(qualitySample).describe('Its reports, oldest first.'),
      }),
    )
    .describe('The participants whose devices reported something.'),
  events: z
    .array(
      z.object({
        at: isoDate,
        kind: z.enum(qualityEventKinds).describe('What happened.'),
        walletAddress: party.describe('The participant whose device it happened to.'),
      }),
    )
    .describe('What happened, oldest first.'),
  findings: z.array(finding).describe('What went wrong, the earliest first. Empty if nothing was found.'),
  nextFrom: isoDate
    .nullable()
    .describe('If there is more than one answer can hold: the `from` of the next request; null at the end.'),
});
export type WireQuality = z.infer<typeof quality>;

export const qualityQuery = z.strictObject({
  from: isoDate.optional().describe('Leaves out what was before this time.'),
});
