import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { OpenIngest } from '../../../media/roomOperations.ts';
import { newSrtpKey, srtpSuite } from '../../../media/plainRtp.ts';
import { openLocal, opus, record, type RecordedEvents } from '../../harness/media/mediaFixtures.ts';
import { runTool } from '../../../server/files/runTool.ts';
import { egressSdp } from '../../../server/streaming/egressSdp.ts';
import { holdPairs, untilListened } from '../../../server/streaming/udpPorts.ts';
import { TestNodes } from '../../harness/nodes/TestNodes.ts';
import { until } from '../../harness/until.ts';
import { mediaPorts } from '../../harness/nodes/ports.ts';

/* Real ffmpeg processes send RTP into rooms and receive it from them. */

interface Setup {
  cluster: MediaCluster;
  /** Whether packets leave the node and are therefore SRTP. */
  secure: boolean;
  close(): Promise<void>;
}

const setups: Record<string, () => Promise<Setup>> = {
  async 'in the same process'() {
    const local = await openLocal();
    return { cluster: local, secure: false, close: () => local.close() };
  },
  async 'on the same node of a cluster'() {
    const nodes = await TestNodes.create();
    const { media: cluster } = await nodes.open('signaling', 'media');
    return { cluster, secure: false, close: () => nodes.close() };
  },
  async 'on another node'() {
    const nodes = await TestNodes.create();
    await nodes.open('media');
    const { media: cluster } = await nodes.open('signaling');
    return { cluster, secure: true, close: () => nodes.close() };
  },
};

describe.each(Object.entries(setups))('plain RTP through a room %s', (_where, open) => {
  let setup: Setup;
  let cluster: MediaCluster;
  let events: RecordedEvents;
  let folder: string;
  let roomId: string;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    setup = await open();
    ({ cluster } = setup);
    folder = await mkdtemp(join(tmpdir(), 'parley-plain-'));
  });
  afterAll(async () => {
    await setup?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    roomId = randomUUID();
    events = record(cluster)(roomId);
    await cluster.openRoom(roomId);
  });
  afterEach(async () => {
    const running = processes.splice(0).filter(({ exitCode }) => exitCode === null);
    await Promise.all(running.map((ffmpeg) => (ffmpeg.kill('SIGKILL'), once(ffmpeg, 'exit'))));
    await cluster.closeRoom(roomId);
  });

  const run = (args: string[], input = ''): ChildProcess => {
    const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-y', ...args], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    ffmpeg.stdin?.end(input);
    processes.push(ffmpeg);
    return ffmpeg;
  };

  async function publish(peerId = 'studio'): Promise<OpenIngest> {
    const srtpKeyBase64 = newSrtpKey();
    const ingest = await cluster.room(roomId).openIngest({
      peerId,
      identity: 'publisher',
      tag: { via: 'test' },
      srtpKeyBase64,
      tracks: [
        { source: 'camera', ssrc: 1_111 },
        { source: 'microphone', ssrc: 2_222 },
      ],
    });
    const to = (source: string) => {
      const track = ingest.tracks.find((each) => each.source === source);
      if (!track) throw new Error(`no ${source}`);
      expect(track.to.srtpKeyBase64).toBe(setup.secure ? srtpKeyBase64 : null);
      const key = ['-srtp_out_suite', srtpSuite, '-srtp_out_params', srtpKeyBase64];
      return [
        ...['-f', 'rtp', '-rtpflags', 'skip_rtcp', '-ssrc', String(track.ssrc)],
        ...['-payload_type', String(track.payloadType), ...(setup.secure ? key : [])],
        `${setup.secure ? 'srtp' : 'rtp'}://${track.to.ip}:${track.to.port}?pkt_size=1200`,
      ];
    };
    run([
      ...['-re', '-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=15', '-re', '-f', 'lavfi', '-i', 'sine'],
      ...['-map', '0:v', '-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '15'],
      ...['-pix_fmt', 'yuv420p', ...to('camera'), '-map', '1:a', '-c:a', 'libopus', ...to('microphone')],
    ]);
    return ingest;
  }

  async function egress(): Promise<string> {
    const { ports, release } = await holdPairs(2, mediaPorts);
    const [video = 0, audio = 0] = ports;
    const where = { ip: '127.0.0.1', ports: { video, audio } };
    const opened = await cluster.room(roomId).openEgress({
      peerId: 'egress',
      tag: {},
      of: 'publisher',
      shows: 'camera',
      ...where,
    });
    expect(opened.tracks.map(({ source }) => source).sort()).toEqual(['camera', 'microphone']);
    const path = join(folder, `${roomId}.mkv`);
    const args = ['-protocol_whitelist', 'pipe,udp,rtp,srtp', '-f', 'sdp', '-i', 'pipe:0'];
    await release();
    const ffmpeg = run([...args, '-c', 'copy', '-t', '2', path], egressSdp(opened, where));
    expect(await untilListened([video, audio], 45_000)).toBe(true);
    await cluster
      .room(roomId)
      .resumeConsumers({ peerId: 'egress', consumerIds: opened.tracks.map(({ consumerId }) => consumerId) });
    const asking = setInterval(() => void cluster.room(roomId).requestKeyFrame({ peerId: 'egress' }), 1_000);
    await once(ffmpeg, 'exit');
    clearInterval(asking);
    return path;
  }

  it('is forwarded unchanged', async () => {
    await publish();
    const path = await egress();
    const entries = 'stream=codec_name,width,sample_rate';
    const found = await runTool(
      'ffprobe',
      ['-v', 'error', '-show_entries', entries, '-of', 'json', path],
      10,
    );
    const { streams } = JSON.parse(found) as { streams: object[] };
    expect(streams).toHaveLength(2);
    expect(streams).toContainEqual({ codec_name: 'h264', width: 320 });
    expect(streams).toContainEqual({ codec_name: 'opus', sample_rate: '48000' });
    const frames = await runTool(
      'ffprobe',
      [
        ...['-v', 'error', '-count_frames', '-select_streams', 'v'],
        ...['-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0', path],
      ],
      10,
    );
    expect(Number(frames.trim())).toBeGreaterThan(8);
    // An egress is not visible in the room.
    expect((await cluster.room(roomId).peers({})).map(({ peerId }) => peerId)).toEqual(['studio']);
    const counts = await cluster.room(roomId).countPackets({ peerId: 'studio' });
    expect(counts.map(({ source, packets }) => [source, packets > 5])).toEqual([
      ['camera', true],
      ['microphone', true],
    ]);
    expect(events.consumer).toEqual([]);
  });

  it('notifies an egress when the sources of its participant change', async () => {
    const changed: string[] = [];
    cluster.on(
      'egressChanged',
      ({ roomId: where, to }) => void (where === roomId && changed.push(to.peerId)),
    );
    const opus1 = opus();
    await cluster.room(roomId).openIngest({
      peerId: 'first',
      identity: 'publisher',
      tag: {},
      srtpKeyBase64: newSrtpKey(),
      tracks: [{ source: 'microphone', ssrc: 1 }],
    });
    const where = { ip: '127.0.0.1', ports: { video: 40_000, audio: 40_002 } };
    const { tracks } = await cluster.room(roomId).openEgress({
      peerId: 'egress',
      tag: {},
      of: 'publisher',
      shows: 'camera',
      ...where,
    });
    expect(tracks.map(({ source }) => source)).toEqual(['microphone']);
    expect(tracks[0]?.rtpParameters.codecs[0]?.mimeType).toBe(opus1.codecs[0]?.mimeType);
    expect(changed).toEqual([]);
    const second = await cluster.room(roomId).openIngest({
      peerId: 'second',
      identity: 'publisher',
      tag: {},
      srtpKeyBase64: newSrtpKey(),
      tracks: [{ source: 'camera', ssrc: 1 }],
    });
    expect(second.replaced?.peerId).toBe('first');
    await until(() => changed.length > 0, 'the egress is notified');
    expect(new Set(changed)).toEqual(new Set(['egress']));
    await cluster.room(roomId).leave({ peerId: 'egress' });
    await cluster.room(roomId).leave({ peerId: 'second' });
    expect(await cluster.room(roomId).peers({})).toEqual([]);
  });
});
