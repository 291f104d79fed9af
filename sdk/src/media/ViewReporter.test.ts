import { expect, it, vi } from 'vitest';
import type { WireView } from '../../protocol/media.ts';
import type { MediaTrack } from '../types.ts';
import type { MediaSession } from './MediaSession.ts';
import { ViewReporter } from './ViewReporter.ts';

it('reports the largest visible view of a video, in whole pixels within the bounds', async () => {
  const sent: WireView[][] = [];
  const track = {
    participant: { id: 'par_1', walletAddress: '0xA' },
    source: 'camera',
    track: { kind: 'video' },
  } as unknown as MediaTrack;
  const session = {
    presented: new Map([['con_1', track]]),
    view: (views: WireView[]) => Promise.resolve(void sent.push(views)),
  } as unknown as MediaSession;
  const views = new ViewReporter(() => [session]);
  const next = () => vi.waitUntil(() => sent.shift());

  const video = { participant: 'par_1', source: 'camera' } as const;
  const small = views.view(video, { width: 160.4, height: 90.2, isVisible: true });
  const large = views.view(video, { width: 99_999, height: 1_280, isVisible: true });
  expect(await next()).toEqual([{ consumerId: 'con_1', isVisible: true, width: 16_384, height: 1_280 }]);
  large.update({ width: 99_999, height: 1_280, isVisible: false });
  expect(await next()).toEqual([{ consumerId: 'con_1', isVisible: true, width: 160, height: 90 }]);
  small.update({ width: NaN, height: 90, isVisible: true });
  expect(await next()).toEqual([{ consumerId: 'con_1', isVisible: false, width: 0, height: 0 }]);
  small.close();
  large.close();
  expect(await next()).toEqual([{ consumerId: 'con_1', isVisible: true, width: 16_384, height: 16_384 }]);
});
