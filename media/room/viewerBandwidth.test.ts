import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RtpParameters } from '../../sdk/protocol/media.ts';
import {
  newPeer,
  openLocal,
  opus,
  record,
  vp8,
  type RecordedEvents,
} from '../../test/harness/media/mediaFixtures.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';

/* Whether the bandwidth of viewers is estimated: see ViewerBandwidth. */

let cluster: LocalMediaCluster;
let seen: RecordedEvents;
const roomId = 'room';
const room = () => cluster.room(roomId);

beforeEach(async () => {
  cluster = await openLocal();
  seen = record(cluster)(roomId);
  await cluster.openRoom(roomId);
});
afterEach(() => cluster.close());

const join = (name: string) => room().join(newPeer(name, name, true));
const watch = (name: string) => room().join({ ...newPeer(name, name, true), isViewer: true });
const oneLayer = (): RtpParameters => ({ ...vp8(), encodings: vp8().encodings?.slice(0, 1) });
const camera = (rtpParameters: RtpParameters) => ({
  source: 'camera' as const,
  rtpParameters,
  paused: false,
});
const microphone = () => ({ source: 'microphone' as const, rtpParameters: opus(), paused: false });
/** A publisher whose offer had its audio first, as that of OBS. */
const publish = (name: string, video: RtpParameters) =>
  room().joinConnected({
    ...newPeer(name, name, true),
    dtlsParameters: { fingerprints: [{ algorithm: 'sha-256', value: Array(32).fill('AB').join(':') }] },
    producers: [microphone(), camera(video)],
  });

interface Offer {
  consumer: { source: string; rtpParameters: RtpParameters };
}

/** The sources, and whether each of them carries what an estimate needs. */
const estimated = (offers: readonly Offer[]) =>
  Object.fromEntries(
    offers.map(({ consumer: { source, rtpParameters } }) => [
      source,
      (rtpParameters.headerExtensions ?? []).some(({ uri }) => /transport-wide-cc|abs-send-time/.test(uri)),
    ]),
  );
/** The offers to a viewer who was there before the publisher. */
const offersTo = (name: string, from: string) =>
  seen.consumer.filter((offer) => offer.to.peerId === name && offer.from.peerId === from);
const none = { camera: false, microphone: false };
const all = { camera: true, microphone: true };

it('is not estimated for a video with one layer, whenever the viewer comes', async () => {
  await watch('early');
  await publish('obs', oneLayer());
  expect(estimated(offersTo('early', 'obs'))).toEqual(none);
  expect(estimated((await watch('late')).consumers)).toEqual(none);
  // Participants of a room send each other more than one video.
  expect(estimated((await join('participant')).consumers)).toEqual(all);
});

it('is estimated for a video with layers, and again after one without', async () => {
  await watch('early');
  await publish('obs', oneLayer());
  await room().leave({ peerId: 'obs' });
  await publish('browser', vp8());
  expect(estimated(offersTo('early', 'browser'))).toEqual(all);
  expect(estimated((await watch('late')).consumers)).toEqual(all);
  await room().leave({ peerId: 'browser' });
  // The connection numbers all packets now, so its receiver has to know the numbers.
  await publish('obs again', oneLayer());
  expect(estimated(offersTo('early', 'obs again'))).toEqual(all);
});

it('is the same for all that a viewer receives, in whatever order it comes', async () => {
  await watch('one');
  await join('host');
  await room().produce({ peerId: 'host', ...microphone() });
  await room().produce({ peerId: 'host', ...camera(oneLayer()) });
  expect(estimated(offersTo('one', 'host'))).toEqual(all);

  await room().leave({ peerId: 'host' });
  await watch('other');
  await join('host again');
  await room().produce({ peerId: 'host again', ...camera(oneLayer()) });
  await room().produce({ peerId: 'host again', ...camera(vp8()), source: 'screen' });
  expect(estimated(offersTo('other', 'host again'))).toEqual({ camera: false, screen: false });
});
