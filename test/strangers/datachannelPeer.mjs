// A WHEP player or WHIP publisher on libdatachannel: play <url> | publish <url> <key> <ffmpeg>.
// As a publisher, it behaves like OBS Studio: it sends the same offer as OBS, does not wait for candidates, sends no key frames on request,
// and ends with a DELETE request. Its media comes from ffmpeg.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import process from 'node:process';
import { Audio, PeerConnection, RtcpReceivingSession, Video } from 'node-datachannel';

const seen = { state: 'new', status: 0, codec: '', frames: 0, packets: 0 };
const [mode, url = '', ...rest] = process.argv.slice(2);
const base = randomInt(2 ** 31);
const ssrcs = { audio: base, video: base + 1 };
const obsPayloadTypes = { audio: 111, video: 96 };
/** The URL of the session; empty until the session exists. */
let location = '';
const payloadTypes = { 96: 'video/VP8', 98: 'video/VP9', 102: 'video/H264' };
const videoArgs =
  '-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -pix_fmt yuv420p -g 15 -bsf:v dump_extra=freq=keyframe';

/** @type {() => void} */
let end = () => {};
/** @type {Promise<void>} */
const over = new Promise((resolve) => (end = resolve));
process.stdin.on('end', end).resume();
const timer = setInterval(show, 250);

const connection = new PeerConnection('stranger', { iceServers: [] });
connection.onStateChange((state) => {
  seen.state = state;
  if (state === 'closed' || state === 'failed') end();
});
const sections = mode === 'publish' ? sendingSections() : receivingSections();
const tracks = sections.map((section) => connection.addTrack(section));
if (mode === 'play') for (const [index, track] of tracks.entries()) receive(track, index === 1);
const gathered = new Promise((resolve) => {
  connection.onGatheringStateChange((state) => state === 'complete' && resolve(undefined));
});
connection.setLocalDescription('offer');
if (mode === 'play') await gathered;
await connect();
const stop = mode === 'publish' ? await send() : () => {};
await over;
clearInterval(timer);
show();
stop();
connection.close();
if (mode === 'publish' && location) await fetch(location, { method: 'DELETE', headers: authorization() });
process.exit(0);

function receivingSections() {
  const audio = new Audio('0', 'RecvOnly');
  audio.addOpusCodec(111);
  const video = new Video('1', 'RecvOnly');
  video.addVP8Codec(96);
  video.addVP9Codec(98);
  video.addH264Codec(102);
  return [audio, video];
}

function sendingSections() {
  const [stream, cname] = ['3kVhS9cTZoWqLr0p', 'Xy7GdBf1nQe5uMa2'];
  const audio = new Audio('0', 'SendOnly');
  audio.addOpusCodec(obsPayloadTypes.audio);
  audio.addSSRC(ssrcs.audio, cname, stream, `${stream}-audio`);
  const video = new Video('1', 'SendOnly');
  video.addSSRC(ssrcs.video, cname, stream, `${stream}-video`);
  video.addH264Codec(obsPayloadTypes.video);
  return [audio, video];
}

/** @returns {Record<string, string>} */
function authorization() {
  const [key] = rest;
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/**
 * @param {import('node-datachannel').Track} track
 * @param {boolean} isVideo
 */
function receive(track, isVideo) {
  track.setMediaHandler(new RtcpReceivingSession());
  track.onOpen(() => isVideo && track.requestKeyframe());
  track.onMessage((packet) => {
    if (!isVideo) return void seen.packets++;
    const [, second = 0] = packet;
    seen.codec = payloadTypes[/** @type {keyof typeof payloadTypes} */ (second & 0x7f)] ?? '';
    // The marker bit is set in the last packet of each frame.
    if (second & 0x80) seen.frames++;
  });
}

async function connect() {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sdp', ...authorization() },
    body: connection.localDescription()?.sdp ?? '',
  });
  seen.status = response.status;
  const answer = await response.text();
  if (response.status === 201) {
    location = new URL(response.headers.get('location') ?? '', response.url).href;
    connection.setRemoteDescription(answer, 'answer');
  } else {
    process.stderr.write(`${answer}\n`);
    end();
  }
}

async function send() {
  const [audio, video] = await Promise.all(tracks.map(forward));
  const [, ffmpeg = 'ffmpeg'] = rest;
  const rtp = (/** @type {'audio' | 'video'} */ kind, port = 0) =>
    `-f rtp -ssrc ${ssrcs[kind] | 0} -payload_type ${obsPayloadTypes[kind]} rtp://127.0.0.1:${port}?pkt_size=1200`;
  const args =
    `-v error -nostdin -re -f lavfi -i testsrc=size=320x180:rate=15 -re -f lavfi -i sine ` +
    `-map 0:v ${videoArgs} ${rtp('video', video)} -map 1:a -c:a libopus ${rtp('audio', audio)}`;
  const child = spawn(ffmpeg, args.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('exit', end);
  return () => void child.kill('SIGKILL');
}

/**
 * Forwards RTP packets from a local UDP port to a track.
 * @param {import('node-datachannel').Track} track
 * @returns {Promise<number>} the port
 */
async function forward(track) {
  const socket = createSocket('udp4');
  socket.on('message', (packet) => track.isOpen() && track.sendMessageBinary(packet));
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(undefined)));
  return socket.address().port;
}

function show() {
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}
