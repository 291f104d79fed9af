import { expect, it } from 'vitest';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { callNode } from './callNode.ts';
import type { MediaLink } from './MediaLink.ts';
import { mediaRpc } from './rpc.ts';

/** A node of the previous release, which does not know whether a device repeats its consent. */
function olderNode(): { link: MediaLink; requests: unknown[] } {
  const requests: unknown[] = [];
  const call = (name: keyof typeof mediaRpc, request: unknown) => {
    requests.push(request);
    const schema = (mediaRpc[name].request as unknown as z.ZodObject).omit({ consents: true });
    const { error } = schema.safeParse(request);
    if (error) return Promise.reject(new ParleyError('VALIDATION_ERROR', z.prettifyError(error)));
    return Promise.resolve('done');
  };
  return { link: { call, close: () => undefined } as unknown as MediaLink, requests };
}

const { rtpCapabilities } = newPeer('player');
const dtlsParameters = { fingerprints: [{ algorithm: 'sha-256', value: 'AB' }] };
const room = { roomId: 'room', epoch: 1 };
const router = { routerId: 'router', key: 'player' };

it.each([
  ['joinConnected', { ...room, ...newPeer('player'), dtlsParameters, producers: [], revision: 1 }],
  ['part.addPeer', { ...router, rtpCapabilities, multiparty: true, isViewer: true }],
] as const)('sends %s again without what an older node does not know', async (name, request) => {
  const { link, requests } = olderNode();
  expect(await callNode(link, name, { ...request, consents: false } as never)).toBe('done');
  expect(requests).toEqual([{ ...request, consents: false }, request]);
});

it('does not repeat a request that is refused for another reason', async () => {
  const { link, requests } = olderNode();
  const request = { ...router, rtpCapabilities, multiparty: 'yes' };
  await expect(callNode(link, 'part.addPeer', request as never)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(requests).toHaveLength(1);
});
