import Rtmp from 'node-media-server/src/protocol/rtmp.js';
import { describe, expect, it, vi } from 'vitest';
import {
  chunkBytes,
  command,
  connect,
  connectTo,
  connectWith,
  createStream,
  deleteStream,
  handshake,
  headOf,
  messageOf,
  publish,
} from '../../../test/harness/clients/rtmpMessages.ts';
import { BoundedRtmp } from './BoundedRtmp.ts';
import {
  aac,
  audio,
  audioHeader,
  flvHeader,
  flvTag,
  keyFrame,
  video,
  videoHeader,
  type AvPacket,
} from './flv.ts';
import { h264Size } from './h264Size.ts';

function open() {
  const asked: string[] = [];
  const held: number[] = [];
  const packets: { type: number; id: number; flags: number; size: number }[] = [];
  let output = '';
  const rtmp = new BoundedRtmp({
    onPublish: (app, key) => asked.push(`${app}/${key}`),
    onPlay: () => asked.push('play'),
    onDelete: () => asked.push('delete'),
    onHold: (bytes) => {
      held.push(bytes);
      return true;
    },
  });
  rtmp.onOutputCallback = (bytes) => (output += Buffer.from(bytes).toString('latin1'));
  rtmp.onPacketCallback = ({ codec_type: type, codec_id: id, flags, size }) =>
    packets.push({ type, id, flags, size });
  const send = (...parts: Buffer[]) => rtmp.parserData(Buffer.concat(parts));
  return { rtmp, asked, held, packets, send, output: () => output };
}

describe('the RTMP parser', () => {
  it('has the methods that BoundedRtmp overrides and calls', () => {
    for (const name of [
      'chunkMessageHeaderRead',
      'packetAlloc',
      'packetHandler',
      'invokeHandler',
      'onConnect',
      'onPublish',
      'onPlay',
      'onDeleteStream',
      'sendACK',
      'sendStatusMessage',
      'parserData',
      'chunkRead',
    ] as const)
      expect(typeof Rtmp.prototype[name], name).toBe('function');
  });

  it('calls onPublish with the application and the key, and does not answer by itself', () => {
    const { rtmp, asked, send, output } = open();
    expect(send(handshake, connect, createStream, publish('key?query'))).toBeNull();
    expect(asked).toEqual(['live/key']);
    expect(output()).not.toContain('NetStream.Publish');
    rtmp.sendStatusMessage(rtmp.streamId ?? 0, 'status', 'NetStream.Publish.Start', 'Publishing.');
    expect(output()).toContain('NetStream.Publish.Start');
  });

  it('reads addresses with a slash or a query too many, which programs and people put together', () => {
    for (const [app, key] of [
      ['live/', 'key'],
      ['live', '/key'],
      ['live//', 'key?query'],
      ['live?query', 'key'],
      ['live/?query', 'key'],
    ] as const) {
      const { asked, send } = open();
      send(handshake, connectTo(app), createStream, publish(key));
      expect(asked).toEqual(['live/key']);
    }
  });

  it.each([{}, { tcUrl: 'live' }, { tcUrl: 'rtmp://[fe80::1%eth0]/live' }])(
    'needs no address in the request to connect: %o',
    (address) => {
      const { asked, send } = open();
      send(handshake, connectWith({ app: 'live', ...address }), createStream, publish('key'));
      expect(asked).toEqual(['live/key']);
    },
  );

  it.each([
    ['deleteStream', deleteStream],
    ['closeStream', command('closeStream')],
    ['FCUnpublish', command('FCUnpublish')],
  ])('calls onDelete when the client ends its stream by %s', (_name, ending) => {
    const { asked, send } = open();
    send(handshake, connect, ending, createStream, publish('key'), ending);
    expect(asked).toEqual(['live/key', 'delete']);
  });

  it('ignores other commands, and writes nothing about them to the output of the server', () => {
    const written = vi.spyOn(console, 'log').mockReturnValue();
    const { asked, send } = open();
    send(handshake, command('anything'), connect, command('_checkbw'), createStream, publish('key'));
    expect(asked).toEqual(['live/key']);
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });

  it('allocates a message through packetAlloc, so that the limits apply before any memory is allocated', () => {
    const { send, held } = open();
    send(handshake, connect, createStream, publish('key'));
    expect(held.at(-1)).toBeGreaterThan(0);
    expect(() => send(messageOf(video, Buffer.alloc(17 * 1_024), 4))).toThrow('exceeds the limit');
  });

  it('goes on when the clock of a publisher that sends differences of times starts again at 0', () => {
    const { rtmp, send } = open();
    const times: number[] = [];
    rtmp.onPacketCallback = ({ dts }) => times.push(dts);
    send(handshake, connect, createStream, publish('key'));
    const frame = Buffer.from([0x27, 1, 0, 0, 0, 1]);
    const first = headOf(4, video, frame.length);
    first.writeUIntBE(0xffffff, 1, 3);
    const later = headOf(4, video, frame.length).subarray(0, 8);
    later[0] = 0x44;
    later.writeUIntBE(33, 1, 3);
    const latest = Buffer.from([0xff, 0xff, 0xff, 0xf0]);
    send(first, latest, frame, later, frame, later, frame);
    expect(times).toEqual([2 ** 32 - 16, 17, 50]);
  });

  it.each([
    ['with', true],
    ['without', false],
  ])(
    'reads messages after 4.6 hours %s their time in each chunk, in pieces of any size',
    (_how, isRepeated) => {
      const clock = 17_000_000;
      const time = Buffer.alloc(4);
      time.writeUInt32BE(clock);
      // The last one has a chunk that is shorter than a time.
      const bodies = [chunkBytes / 2, 3 * chunkBytes, 2 * chunkBytes + 2].map((length) => {
        const body = Buffer.from(Array.from({ length }, (_, index) => index));
        body[0] = 0x27;
        return body;
      });
      const messages = bodies.map((body) => {
        const head = headOf(4, video, body.length);
        head.writeUIntBE(0xffffff, 1, 3);
        const pieces = Array.from({ length: Math.ceil(body.length / chunkBytes) }, (_, index) => [
          index === 0 ? head : Buffer.from([0xc4]),
          ...(index === 0 || isRepeated ? [time] : []),
          body.subarray(index * chunkBytes, (index + 1) * chunkBytes),
        ]);
        return Buffer.concat(pieces.flat());
      });
      for (const size of [1, 3, 7, 130, 10_000]) {
        const { rtmp, send } = open();
        const read: { dts: number; body: Buffer }[] = [];
        rtmp.onPacketCallback = ({ dts, data, size: length }) =>
          read.push({ dts, body: Buffer.from(data.subarray(0, length)) });
        send(handshake, connect, createStream, publish('key'));
        // A message that ends in a short chunk is told from its time by what follows.
        const all = Buffer.concat([...messages, ...messages]);
        for (let at = 0; at < all.length; at += size) send(all.subarray(at, at + size));
        expect(read).toEqual(
          [...bodies, ...bodies].map((body) => ({ dts: clock, body })).slice(0, read.length),
        );
        expect(read.length).toBeGreaterThanOrEqual(5);
      }
    },
  );

  it('reports key frames, codec headers and audio by the values of AvPacket', () => {
    const { rtmp, packets, send } = open();
    send(handshake, connect, createStream, publish('key'));
    rtmp.isTrusted = true;
    send(
      messageOf(video, Buffer.from([0x17, 0, 0, 0, 0, 1]), 4),
      messageOf(video, Buffer.from([0x17, 1, 0, 0, 0, 1]), 4),
      messageOf(audio, Buffer.from([0xaf, 0, 0x12, 0x10]), 5),
    );
    expect(packets).toMatchObject([
      { type: video, flags: videoHeader },
      { type: video, flags: keyFrame },
      { type: audio, id: aac, flags: audioHeader },
    ]);
  });
});

describe('the size of H264 video', () => {
  it('is read from its decoder configuration, without what is cut off', () => {
    // Of libx264, for 1920x1080.
    const head = '0142c028ffe10019';
    const avcC = Buffer.from(`${head}6742c028da01e0089f970110000003001000000303c0f1832a`, 'hex');
    expect(h264Size(avcC)).toEqual({ width: 1920, height: 1080 });
    expect(h264Size(avcC.subarray(0, 8))).toBeNull();
  });
});

describe('the FLV writer', () => {
  it('starts a file with its header and a previous tag length of zero', () => {
    expect([...flvHeader(true, true)]).toEqual([...Buffer.from('FLV'), 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);
  });

  it('copies the bytes of a packet into a tag', () => {
    const data = Buffer.from([0x17, 1, 0, 0, 0, 9]);
    const packet: AvPacket = {
      codec_type: video,
      codec_id: 7,
      flags: keyFrame,
      dts: 5,
      pts: 5,
      size: data.length,
      data,
    };
    const tag = flvTag(packet);
    data.fill(0);
    expect(tag[0]).toBe(video);
    expect(tag.readUIntBE(1, 3)).toBe(6);
    expect([...tag.subarray(11, 17)]).toEqual([0x17, 1, 0, 0, 0, 9]);
  });
});
