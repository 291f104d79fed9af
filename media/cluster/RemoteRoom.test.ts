import { expect, it } from 'vitest';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { KnownRooms } from './KnownRooms.ts';
import type { MediaLinks } from './MediaLinks.ts';
import { RemoteRoom } from './RemoteRoom.ts';
import { mediaRpc } from './rpc.ts';

it('repeats a request without its revision if the owner runs an older version', async () => {
  const requests: unknown[] = [];
  const older = mediaRpc.setPaused.request as unknown as z.ZodObject;
  const schema = older.omit({ revision: true });
  const link = {
    call: (_name: string, request: unknown) => {
      requests.push(request);
      const { error } = schema.safeParse(request);
      if (error) return Promise.reject(new ParleyError('VALIDATION_ERROR', z.prettifyError(error)));
      return Promise.resolve(true);
    },
  };
  const owner = { nodeId: 'older', epoch: 1 };
  const room = new RemoteRoom('room', {
    rooms: { get: () => ({ owner, peers: new Map() }) } as unknown as KnownRooms,
    nodes: { link: () => Promise.resolve(link) } as unknown as MediaLinks,
    formerOwners: null as never,
    ownId: () => 'own',
    onUnreported: () => undefined,
  });
  const paused = { peerId: 'peer', source: 'microphone', paused: true } as const;
  expect(await room.setPaused({ ...paused, revision: 3 })).toBe(true);
  const address = { roomId: 'room', epoch: 1 };
  expect(requests).toEqual([
    { ...paused, ...address, revision: 3 },
    { ...paused, ...address },
  ]);
});
