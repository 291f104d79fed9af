import { sql } from 'drizzle-orm';
import { blocks, calls } from '../../../signaling/calls/tables.ts';
import { roomChat, roomMembers, rooms } from '../../../signaling/conference/tables.ts';
import { walletEvents, walletSequences } from '../../../signaling/events/tables.ts';
import { participantTokens } from '../../../signaling/guests/tables.ts';
import {
  notificationPreferences,
  pushPresence,
  pushSubscriptions,
} from '../../../signaling/notifications/tables.ts';
import { profiles, savedContacts } from '../../../signaling/people/tables.ts';
import { qualityLog } from '../../../signaling/quality/tables.ts';
import {
  recordingFiles,
  recordingParts,
  recordings,
  recordingUsage,
} from '../../../signaling/recordings/tables.ts';
import { streamBans, streamChat, streams, streamWatchings } from '../../../signaling/streaming/tables.ts';
import { voicemails } from '../../../signaling/voicemail/tables.ts';
import { webrtcSessions } from '../../streaming/webrtc/tables.ts';
import { removeRecordings, removeVoicemails } from '../retention/media.ts';
import { deletes, empties, exported, isParty, older, rowsOf } from './rules.ts';
import type { Subject, TableData } from './TableData.ts';

const ofWallet = ({ wallet }: Subject) => sql`wallet = ${wallet}`;
const hosted = ({ party }: Subject) => sql`host = ${party}`;
const withSubject = 'Removed with their room or stream.';

/** Calls, rooms, streams, recordings, voicemail and people. Messages have a file of their own. */
export const realtimeTables: TableData[] = [
  {
    table: calls,
    kept: [older('KEEP_CALLS_DAYS', calls.endedAt)],
    personal: {
      exports: [
        exported(
          'calls',
          calls,
          ({ wallet }) => sql`caller = ${wallet} OR (callee = ${wallet} AND NOT hidden)`,
          ['hidden', 'caller_socket', 'callee_socket', 'caller_node', 'callee_node', 'revision'],
        ),
      ],
      // The calls of others stay. The address in them is replaced.
      erases: [],
    },
  },
  {
    table: blocks,
    kept: 'A wallet blocks others until it unblocks them.',
    personal: { exports: [exported('blocked', blocks, ofWallet)], erases: [deletes(blocks, ofWallet)] },
  },
  {
    table: qualityLog,
    kept: [older('KEEP_QUALITY_DAYS', qualityLog.at)],
    personal: {
      exports: [exported('quality', qualityLog, ({ party }) => sql`party = ${party}`)],
      // What others experienced stays. The address is replaced.
      erases: [],
    },
  },
  {
    table: voicemails,
    kept: [
      {
        setting: 'KEEP_VOICEMAILS_DAYS',
        find: (before) =>
          rowsOf(
            voicemails,
            sql`created_at < ${before.toISOString()}::timestamptz AND status <> 'processing'`,
            sql`id, file_id`,
          ),
        remove: removeVoicemails,
      },
    ],
    personal: {
      exports: [
        {
          file: 'voicemails',
          // A sender does not learn whether the recipient has listened, read the transcript, or blocked it.
          rows: ({ wallet }) => sql`
            SELECT to_jsonb(v) - ARRAY['hidden', 'status', 'transcribing_until']
              - CASE WHEN v.sender = ${wallet} THEN ARRAY['read_at', 'transcript'] ELSE '{}' END AS row
            FROM voicemails v
            WHERE (v.sender = ${wallet} OR (v.recipient = ${wallet} AND NOT v.hidden)) AND v.status <> 'deleted'`,
        },
      ],
      erases: [
        {
          find: ({ wallet }, locks) =>
            rowsOf(voicemails, sql`(sender = ${wallet} OR recipient = ${wallet})`, sql`id, file_id`, locks),
          erase: (tx, rows, { jobs }) => removeVoicemails(tx, rows, jobs),
        },
      ],
    },
  },
  {
    table: roomMembers,
    kept: withSubject,
    personal: {
      exports: [
        exported('roomsVisited', roomMembers, ofWallet, ['socket', 'node', 'revision', 'gate_checked_at']),
      ],
      // The rooms of others keep a member without a name. The address is replaced.
      erases: [
        empties(
          roomMembers,
          (person) => sql`${ofWallet(person)} AND (display_name <> '' OR metadata <> '')`,
          sql`display_name = '', metadata = NULL`,
        ),
      ],
    },
  },
  {
    table: roomChat,
    kept: 'The latest 500 messages of a room; removed with the room.',
    personal: {
      exports: [exported('roomChat', roomChat, isParty)],
      erases: [deletes(roomChat, isParty)],
    },
  },
  {
    table: rooms,
    kept: [older('KEEP_ROOMS_DAYS', rooms.endedAt)],
    personal: {
      exports: [exported('rooms', rooms, hosted)],
      erases: [
        empties(
          rooms,
          (person) => sql`${hosted(person)} AND status = 'ended' AND name <> ''`,
          sql`name = '', gate = NULL`,
        ),
      ],
    },
  },
  {
    table: streamWatchings,
    kept: 'Removed when the player is gone.',
    personal: { erases: [deletes(streamWatchings, ofWallet)] },
  },
  {
    table: streamBans,
    kept: withSubject,
    personal: 'A host’s list. The address in it is replaced.',
  },
  {
    table: streamChat,
    kept: 'The latest 500 messages of a stream; removed when it ends.',
    personal: {
      exports: [exported('streamChat', streamChat, isParty)],
      erases: [deletes(streamChat, isParty)],
    },
  },
  {
    table: streams,
    kept: [older('KEEP_STREAMS_DAYS', streams.endedAt)],
    personal: {
      exports: [exported('streams', streams, hosted, ['key_hash', 'key_sealed', 'publisher_socket'])],
      erases: [
        empties(
          streams,
          (person) => sql`${hosted(person)} AND status = 'ended' AND key_hash <> id`,
          sql`title = '', description = '', gate = NULL, key_hash = id, key_sealed = ''`,
        ),
      ],
    },
  },
  {
    table: recordingParts,
    kept: 'Removed when they are joined.',
    personal: {
      erases: [
        empties(
          recordingParts,
          (person) => sql`${ofWallet(person)} AND display_name IS NOT NULL`,
          sql`display_name = NULL`,
        ),
      ],
    },
  },
  {
    table: recordingFiles,
    kept: 'Removed with their recording.',
    personal: {
      // A recording belongs to its host. Those of others stay, without the name. The address is replaced.
      erases: [
        empties(
          recordingFiles,
          (person) => sql`${ofWallet(person)} AND display_name IS NOT NULL`,
          sql`display_name = NULL`,
        ),
      ],
    },
  },
  {
    table: recordings,
    kept: [
      {
        setting: 'KEEP_RECORDINGS_DAYS',
        find: (before) =>
          rowsOf(
            recordings,
            sql`ended_at < ${before.toISOString()}::timestamptz AND status IN ('ready', 'failed') AND discarded_at IS NULL`,
            sql`id`,
          ),
        remove: removeRecordings,
      },
    ],
    personal: {
      exports: [
        exported('recordings', recordings, (person) => sql`${hosted(person)} AND discarded_at IS NULL`, [
          'held_by',
          'held_until',
          'attempts',
          'discarded_at',
        ]),
      ],
      erases: [
        {
          find: (person, locks) =>
            rowsOf(
              recordings,
              sql`${hosted(person)} AND status IN ('ready', 'failed') AND discarded_at IS NULL`,
              sql`id`,
              locks,
            ),
          erase: (tx, rows, { jobs }) => removeRecordings(tx, rows, jobs),
        },
      ],
    },
  },
  {
    table: recordingUsage,
    kept: 'One row for each host with recordings.',
    personal: {
      // After the recordings, whose removal subtracts from it.
      erases: [
        deletes(
          recordingUsage,
          (person) =>
            sql`${hosted(person)} AND NOT EXISTS (SELECT FROM recordings r WHERE r.host = recording_usage.host)`,
        ),
      ],
    },
  },
  {
    table: participantTokens,
    kept: 'Removed a while after they expire: see ParticipantTokens.ts.',
    personal: {
      erases: [
        deletes(
          participantTokens,
          ({ party }) => sql`subject_id IN (SELECT id FROM rooms WHERE host = ${party}
            UNION ALL SELECT id FROM streams WHERE host = ${party})`,
        ),
      ],
    },
  },
  {
    table: webrtcSessions,
    kept: 'Removed when the session ends or is silent.',
    personal: 'Facts of a connection to a stream, until it ends.',
  },
  {
    table: profiles,
    kept: 'One row for each wallet with a name or an image.',
    personal: { exports: [exported('profile', profiles, ofWallet)], erases: [deletes(profiles, ofWallet)] },
  },
  {
    table: savedContacts,
    kept: 'A wallet keeps its contacts until it removes them; it may have a limited number.',
    personal: {
      exports: [exported('contacts', savedContacts, ofWallet)],
      // The names under which others have saved this wallet are theirs. The address in them is replaced.
      erases: [deletes(savedContacts, ofWallet)],
    },
  },
  {
    table: notificationPreferences,
    kept: 'One row for each wallet that has changed them.',
    personal: {
      exports: [exported('notificationPreferences', notificationPreferences, ofWallet)],
      erases: [deletes(notificationPreferences, ofWallet)],
    },
  },
  {
    table: pushSubscriptions,
    kept: 'Removed with their session; a wallet may have a limited number.',
    personal: {
      exports: [exported('pushDevices', pushSubscriptions, ofWallet, ['address', 'p256dh', 'auth'])],
      erases: [deletes(pushSubscriptions, ofWallet)],
    },
  },
  {
    table: pushPresence,
    kept: 'Removed when the connection ends.',
    personal: { erases: [deletes(pushPresence, ofWallet)] },
  },
  {
    table: walletEvents,
    kept: 'Removed after EVENT_DAYS: see EventLog.ts.',
    personal: { erases: [deletes(walletEvents, ofWallet)] },
  },
  {
    table: walletSequences,
    kept: 'One row for each wallet.',
    personal: { erases: [deletes(walletSequences, ofWallet)] },
  },
];
