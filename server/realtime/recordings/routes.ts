import type { z } from 'zod';
import * as schemas from '../../../sdk/protocol/accountRecordings.ts';
import { identityOf, isGuest } from '../../../sdk/protocol/party.ts';
import type { WireRecording } from '../../../sdk/protocol/recordings.ts';
import { backendContext } from '../../../signaling/socket/RequestContext.ts';
import { placedPage, toPlacedPage } from '../../http/paging.ts';
import type { Principal } from '../../http/Principal.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import { hostOf, type RealtimeRules } from '../RealtimeRules.ts';

/** Recordings of the account: of its streams and rooms, and those of calls that its wallet has made. */
export function recordingRoutes({ rules }: { rules: RealtimeRules }): Route[] {
  return [
    route({
      method: 'get',
      path: '/recordings',
      summary: 'Lists the recordings of the account, latest first.',
      scope: 'recordings:read',
      query: schemas.recordingsQuery,
      response: schemas.accountRecordings,
      handle: async ({ query, principal }) => {
        const { kind, roomId, status } = query;
        const { limit, before } = placedPage(query);
        const page = { kind, roomId, status, limit: limit + 1, before };
        const found = await rules.current.recordings.list(contextOf(principal), page);
        return toPlacedPage(found, limit, placeOf, toAccountRecording);
      },
    }),
    route({
      method: 'get',
      path: '/recordings/:id',
      summary: 'Reads a recording, with newly signed addresses of its files.',
      scope: 'recordings:read',
      params: schemas.recordingPath,
      response: schemas.accountRecording,
      handle: async ({ params, principal }) =>
        toAccountRecording(await rules.current.recordings.get(contextOf(principal), params.id)),
    }),
    route({
      method: 'delete',
      path: '/recordings/:id',
      summary: 'Deletes a recording and its files, permanently.',
      scope: 'recordings:write',
      params: schemas.recordingPath,
      response: schemas.accountRecording,
      handle: async ({ params, principal }) =>
        toAccountRecording(await rules.current.recordings.delete(contextOf(principal), params.id)),
    }),
  ];
}

/** Recordings do not depend on a network. */
const contextOf = (principal: Principal | null) => backendContext(hostOf(signedIn(principal)), 'mainnet');

const placeOf = ({ startedAt, id }: WireRecording) => ({ at: new Date(startedAt), id });

const toAccountRecording = ({
  files,
  ...recording
}: WireRecording): z.input<typeof schemas.accountRecording> => ({
  ...recording,
  files: files.map(({ walletAddress, isGuest: _mark, ...file }) => ({
    ...file,
    identity: identityOf(walletAddress),
    isGuest: isGuest(walletAddress),
  })),
});
