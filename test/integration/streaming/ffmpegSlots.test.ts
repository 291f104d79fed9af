import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { WireRecording } from '../../../sdk/protocol/recordings.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { fetchWhenReady } from '../../harness/nodes/fetchWhenReady.ts';
import { until } from '../../harness/until.ts';
import { RecordingServer } from '../recording/recordingSupport.ts';

/* The node has three slots for ffmpeg processes, of which one wallet may use two. */

let server: RecordingServer;
const pushers: FfmpegPublisher[] = [];

beforeAll(async () => {
  server = await RecordingServer.start({
    RTMP_PORT: String(await freePorts()),
    FFMPEG_PROCESSES: '3',
    FFMPEG_PROCESSES_PER_WALLET: '2',
    HLS_IDLE_SECONDS: '60',
  });
});
afterEach(() => Promise.all(pushers.splice(0).map((pusher) => pusher.kill())));
afterAll(() => server?.dispose());

type Person = Awaited<ReturnType<RecordingServer['person']>>;

async function push({ device }: Person) {
  const created = await device.ask('streaming.create', { title: 'Friday' });
  const pusher = new FfmpegPublisher(`${created.rtmpUrl}/${created.streamKey}`, {
    size: '320x180',
    rate: 15,
  });
  pushers.push(pusher);
  return { ...created, pusher };
}

const live = ({ device }: Person, streamId: string) =>
  until(
    async () => (await device.ask('streaming.get', { streamId })).status === 'live',
    'the stream is live',
  );

it('limits the ffmpeg processes of a wallet and frees a slot when a process ends', async () => {
  const [greedy, friend] = [await server.person(), await server.person()];
  const first = await push(greedy);
  await live(greedy, first.id);
  expect((await fetchWhenReady(first.playbackUrl)).status).toBe(200);

  const refused = await push(greedy);
  await refused.pusher.exited();
  const [refusal] = await server.server.waitForLog('RTMP publisher refused');
  expect(refusal?.reason).toContain('no capacity for another stream');
  expect(await greedy.device.ask('streaming.get', { streamId: refused.id })).toMatchObject({
    status: 'idle',
  });
  // A recording starts even if there is no slot for a participant, and reports that the participant is left out.
  const { id: roomId } = await greedy.device.ask('conference.create', { name: 'Team', maxParticipants: 2 });
  await greedy.device.ask('conference.join', { roomId });
  await greedy.device.publish('conference', roomId, ['microphone']);
  const { id: recordingId } = await greedy.device.ask('conference.startRecording', { roomId });
  const isLeftOut = (recording: WireRecording) => recording.id === recordingId && recording.leftOut === 1;
  await greedy.device.events.first<WireRecording>('recording:updated', isLeftOut);

  const other = await push(friend);
  await live(friend, other.id);
  const full = await until(async () => {
    const response = await fetch(other.playbackUrl);
    return (await response.text()).includes('HLS of another stream') ? response : null;
  }, 'all slots of the node are taken');
  expect(full.status).toBe(503);
  expect(full.headers.get('retry-after')).toBe('10');

  await first.pusher.kill();
  expect((await fetchWhenReady(other.playbackUrl)).status).toBe(200);
});
