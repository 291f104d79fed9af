import { ortc } from 'mediasoup';
import { parse } from 'sdp-transform';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { dtlsParameters, rtpCapabilities, rtpParameters } from '../../sdk/protocol/media.ts';
import { mediaCodecs } from '../router/codecs.ts';
import { withPayloadTypes } from '../router/payloadTypes.ts';
import { parseIceFragment, writeIceFragment } from './iceFragment.ts';
import { publishingOf, type Publishing } from './publishing.ts';
import { parseOffer } from './SdpOffer.ts';
import * as offers from '../../test/harness/media/sdp/offers.ts';
import { transport } from '../../test/harness/media/sdp/transport.ts';
import { declareSources, watcherOf } from './watching.ts';
import { writeAnswer } from './writeAnswer.ts';

const descriptors =
  'a=extmap:8/sendonly https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension\r\n';
const published = (text: string): Publishing => publishingOf(parseOffer(text));
const answerTo = (text: string) => {
  const offer = parseOffer(text);
  return parse(writeAnswer(offer, publishingOf(offer).answers, transport));
};
const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error as { code: string; reason?: string; message: string };
  }
  throw new Error('the offer was accepted');
};

/** Checks the parameters as mediasoup does, without a worker. */
function isProducible({ producers }: Publishing): void {
  const room = ortc.generateRouterRtpCapabilities(mediaCodecs);
  for (const { rtpParameters: parameters } of producers) {
    const checked = structuredClone(rtpParameters.parse(parameters)) as never;
    ortc.validateAndNormalizeRtpParameters(checked);
    ortc.getProducerRtpParametersMapping(checked, room);
  }
}

describe('WHIP offers', () => {
  it.each([
    ['Chromium', offers.chromiumPublishing, [111, 96], 'video/VP8'],
    ['OBS', offers.obsPublishing, [111, 96], 'video/H264'],
    ['OBS in simulcast', offers.obsSimulcast, [111, 96], 'video/H264'],
    ['GStreamer', offers.gstreamerPublishing, [100, 96], 'video/VP8'],
  ])('accepts %s’s offer', (_name, text, payloadTypes, codec) => {
    const publishing = published(text);
    isProducible(publishing);
    expect(publishing.producers.map(({ source }) => source)).toEqual(['microphone', 'camera']);
    const codecs = publishing.producers.map((producer) => producer.rtpParameters.codecs[0]);
    expect(codecs.map((entry) => entry?.payloadType)).toEqual(payloadTypes);
    expect(codecs[1]?.mimeType).toBe(codec);
    const answer = answerTo(text);
    expect(answer.media.map(({ port, direction, setup }) => [port, direction, setup])).toEqual([
      [9, 'recvonly', 'passive'],
      [9, 'recvonly', 'passive'],
    ]);
    const mids = parse(text).media.map(({ mid }) => mid);
    expect(answer.groups).toEqual([{ type: 'BUNDLE', mids: mids.join(' ') }]);
    expect(answer.icelite).toBe('ice-lite');
    expect(answer.media[1]?.fingerprint).toEqual({ type: 'sha-256', hash: 'AA:BB' });
    expect(answer.media[0]?.candidates?.map(({ transport: by, tcptype }) => [by, tcptype])).toEqual([
      ['udp', undefined],
      ['tcp', 'passive'],
    ]);
  });

  it('lets phones rotate their pictures, because ffmpeg and some players would not', () => {
    expect(offers.chromiumPublishing).toContain('video-orientation');
    expect(JSON.stringify(answerTo(offers.chromiumPublishing))).not.toContain('video-orientation');
  });

  it('accepts retransmissions in a separate stream', () => {
    const [, camera] = published(offers.chromiumPublishing).producers;
    expect(camera?.rtpParameters.encodings).toEqual([{ ssrc: 2231627014, rtx: { ssrc: 632943048 } }]);
    expect(camera?.rtpParameters.codecs[1]).toMatchObject({ mimeType: 'video/rtx', payloadType: 97 });
    expect(answerTo(offers.chromiumPublishing).media[1]?.payloads).toBe('96 97');
  });

  it('negotiates capture times except for simulcast, but omits them from the answer', () => {
    const captureTimes = (text: string) =>
      published(text).producers.map(
        ({ rtpParameters: { headerExtensions = [] } }) =>
          headerExtensions.find(({ uri }) => uri.endsWith('abs-capture-time'))?.id ?? null,
      );
    expect(captureTimes(offers.gstreamerPublishing)).toEqual([14, 14]);
    expect(captureTimes(offers.chromiumPublishing)).toEqual([12, 12]);
    expect(captureTimes(offers.obsSimulcast)).toEqual([null, null]);
    expect(JSON.stringify(answerTo(offers.gstreamerPublishing))).not.toContain('abs-capture-time');
  });

  it('accepts simulcast by rid, smallest layer first, and answers it', () => {
    const [, camera] = published(offers.obsSimulcast).producers;
    expect(camera?.rtpParameters.encodings).toEqual([{ rid: '2' }, { rid: '1' }, { rid: '0' }]);
    const video = answerTo(offers.obsSimulcast).media[1];
    expect(video?.simulcast).toEqual({ dir1: 'recv', list1: '0;1;2' });
    expect(video?.rids?.map(({ id, direction }) => `${id} ${direction}`)).toEqual([
      '0 recv',
      '1 recv',
      '2 recv',
    ]);
    expect(video?.ext?.map(({ value, uri }) => [value, uri.split(':').at(-1)])).toEqual([
      [1, 'mid'],
      [2, 'rtp-stream-id'],
    ]);
  });

  it.each([
    ['only the largest layer of VP8, whose frames cannot be renumbered', 'VP8', '', '0'],
    [
      'all layers of VP8 with dependency descriptors, which then has no frame numbers',
      'VP8',
      descriptors,
      '0;1;2',
    ],
    ['only the largest layer of VP9, since mediasoup does not forward its layers', 'VP9', descriptors, '0'],
  ])('accepts %s', (_what, codec, line, rids) => {
    const text = offers.obsSimulcast
      .replaceAll('H264', codec)
      .replace(/a=fmtp:96.*\r\n/, '')
      .replace('a=rid:0', `${line}a=rid:0`);
    const [, camera] = published(text).producers;
    expect(
      camera?.rtpParameters.encodings
        ?.map(({ rid }) => rid)
        .toReversed()
        .join(';'),
    ).toBe(rids);
    const video = answerTo(text).media[1];
    expect(String(video?.simulcast?.list1)).toBe(rids);
    expect(video?.rids?.map(({ id }) => id).join(';')).toBe(rids);
  });

  it.each([
    ['q', 'h', 'f'],
    ['low', 'medium', 'high'],
  ])('orders layers by names that state their size: %s, %s, %s', (...names) => {
    const named = offers.obsSimulcast
      .replace('send 0;1;2', `send ${names.join(';')}`)
      .replace(/a=rid:(\d) send/g, (_line, rid: string) => `a=rid:${names[Number(rid)]} send`);
    expect(published(named).producers[1]?.rtpParameters.encodings).toEqual(names.map((rid) => ({ rid })));
  });

  it('keeps both channels of a stereo offer', () => {
    const audio = answerTo(offers.obsPublishing).media[0];
    expect(audio?.fmtp[0]?.config).toContain('stereo=1');
    expect(answerTo(offers.gstreamerPublishing).media[0]?.fmtp[0]?.config).not.toContain('stereo');
  });

  it('refuses only the m-line without a common codec if another m-line of the same kind has one', () => {
    const [, video = ''] = /^(m=video[^]*)/m.exec(offers.obsPublishing) ?? [];
    const second = video
      .replaceAll('H264', 'H265')
      .replace('mid:1', 'mid:2')
      .replaceAll('1893467323', '1893467324');
    const text = offers.obsPublishing.replace('BUNDLE 0 1', 'BUNDLE 0 1 2') + second;
    const { producers } = published(text);
    expect(producers.map(({ source }) => source)).toEqual(['microphone', 'camera']);
    const answer = answerTo(text);
    expect(answer.media.map(({ port }) => port)).toEqual([9, 9, 0]);
    expect(answer.groups?.[0]?.mids).toBe('0 1');
  });

  it('refuses only the m-lines that do not send if another one does', () => {
    const inactive = offers.obsPublishing.replace('a=sendonly', 'a=inactive');
    expect(published(inactive).producers.map(({ source }) => source)).toEqual(['camera']);
    const answer = answerTo(inactive);
    expect(answer.media.map(({ port, direction }) => [port, direction])).toEqual([
      [0, 'inactive'],
      [9, 'recvonly'],
    ]);
    expect(String(answer.groups?.[0]?.mids)).toBe('1');
  });

  it('accepts m-lines that are only bundled, which have no attributes of the transport', () => {
    const [head = '', audio = '', video = ''] = offers.obsPublishing.split(/^(?=m=)/m);
    const bundled = video
      .replace(/^m=video \d+/, 'm=video 0')
      .replace(/a=(rtcp-mux|setup|ice-ufrag|ice-pwd).*\r\n/g, '')
      .replace('a=mid:1', 'a=mid:1\r\na=bundle-only');
    const inOrder = head + audio + bundled;
    const reversed = head.replace('BUNDLE 0 1', 'BUNDLE 1 0') + bundled + audio;
    for (const text of [inOrder, reversed]) {
      expect(published(text).producers).toHaveLength(2);
      expect(answerTo(text).media.map(({ port, rtcpMux }) => [port, rtcpMux])).toEqual([
        [9, 'rtcp-mux'],
        [9, 'rtcp-mux'],
      ]);
    }
  });

  it('accepts only what mediasoup accepts, and refuses everything else with VALIDATION_ERROR', () => {
    const texts = [offers.chromiumPublishing, offers.obsSimulcast, offers.gstreamerPublishing];
    const values = ['0', '1', '96', '255', '4294967296', '-1', '', 'x', '1e9', '\u0000', '1893467322', 'rtx'];
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.nat(), fc.nat(), fc.constantFrom(...values), (...drawn) => {
        const [text, line, position, value] = drawn;
        const lines = text.split('\r\n');
        const at = line % lines.length;
        const fields = (lines[at] ?? '').split(/([ :;=/])/);
        fields[position % fields.length] = value;
        // Duplicates some lines.
        lines.splice(at, position % 2, fields.join(''));
        try {
          isProducible(published(lines.join('\r\n')));
          accepted++;
        } catch (error) {
          expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
        }
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('answers a passive client as the active end', () => {
    const text = offers.obsPublishing.replaceAll('a=setup:actpass', 'a=setup:passive');
    expect(answerTo(text).media[0]?.setup).toBe('active');
  });

  it.each([
    ['that is not SDP', 'hello', 'invalid_request', 'not an SDP'],
    [
      'without BUNDLE',
      offers.obsPublishing.replace('a=group:BUNDLE 0 1\r\n', ''),
      'validation_failed',
      'BUNDLE',
    ],
    ['without rtcp-mux', offers.obsPublishing.replace('a=rtcp-mux\r\n', ''), 'validation_failed', 'rtcp-mux'],
    [
      'without a fingerprint',
      offers.obsPublishing.replace(/a=fingerprint:.*\r\n/, ''),
      'validation_failed',
      'fingerprint',
    ],
    ['that only receives', offers.chromiumWatching, 'validation_failed', 'sending'],
    [
      'without a common codec',
      offers.obsPublishing.replace('H264', 'H265').replace('opus', 'G719'),
      'not_acceptable',
      'no codec',
    ],
    [
      'with simulcast without the rid extension',
      offers.obsSimulcast.replace(/a=extmap:2.*\r\n/, ''),
      'validation_failed',
      'rid',
    ],
    [
      'whose video has no common codec',
      offers.obsPublishing.replace('H264', 'AV1'),
      'not_acceptable',
      'video',
    ],
    [
      'whose audio has no common codec',
      offers.obsPublishing.replace('opus', 'G719'),
      'not_acceptable',
      'audio',
    ],
    [
      'with the same SSRC twice',
      offers.obsPublishing.replaceAll('1893467323', '1893467322'),
      'validation_failed',
      'twice',
    ],
    [
      'with the same MID twice',
      offers.obsPublishing.replace('a=mid:1', 'a=mid:0'),
      'validation_failed',
      'twice',
    ],
    [
      'with an unknown fingerprint algorithm',
      offers.obsPublishing.replace('sha-256', 'crc-32'),
      'validation_failed',
      'fingerprint',
    ],
    [
      'without SSRC or mid',
      offers.obsPublishing.replace(/a=ssrc:.*\r\n/g, ''),
      'validation_failed',
      'a=ssrc',
    ],
  ])('refuses an offer %s', (_name, text, reason, expected) => {
    const refused = errorOf(() => published(text));
    expect(refused).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(expected) as string,
    });
    expect(refused.reason).toBe(reason);
  });
});

describe('WHEP offers', () => {
  const watching = (text: string) => {
    const offer = parseOffer(text);
    const watcher = watcherOf(offer);
    return { ...watcher, answer: parse(writeAnswer(offer, watcher.answers, transport)) };
  };

  it.each([
    [
      'Chromium',
      offers.chromiumWatching,
      { 'audio/opus': 111, 'video/vp8': 96, 'video/vp9': 98, 'video/h264': 108 },
    ],
    [
      'Firefox',
      offers.firefoxWatching,
      { 'audio/opus': 109, 'video/vp8': 120, 'video/vp9': 121, 'video/h264': 126 },
    ],
    ['GStreamer', offers.gstreamerWatching, { 'audio/opus': 97, 'video/vp8': 102, 'video/h264': 101 }],
  ])('answers %s in the payload types of its offer', (_name, text, payloadTypes) => {
    const watcher = watching(text);
    expect(watcher.payloadTypes).toEqual(payloadTypes);
    const answered = watcher.answer.media.flatMap(({ rtp }) => rtp.map(({ payload }) => payload));
    expect(answered.toSorted()).toEqual(Object.values(payloadTypes).toSorted());
    expect(watcher.answer.media.map(({ direction }) => direction)).toEqual(['sendonly', 'sendonly']);
    expect(rtpCapabilities.parse(watcher.rtpCapabilities).codecs).toHaveLength(
      Object.keys(payloadTypes).length,
    );
  });

  it.each(['chromiumWatching', 'firefoxWatching', 'gstreamerWatching'] as const)(
    'reads payload types that a router can use from the offer of %s',
    (name) => {
      const watcher = watching(offers[name]);
      const codecs = withPayloadTypes(watcher.payloadTypes);
      const router = ortc.generateRouterRtpCapabilities(structuredClone(codecs));
      for (const [codec, payloadType] of Object.entries(watcher.payloadTypes)) {
        const found = router.codecs?.find(({ mimeType }) => mimeType.toLowerCase() === codec);
        expect(found?.preferredPayloadType).toBe(payloadType);
      }
    },
  );

  it('refuses only the m-lines that do not receive if another one does', () => {
    const { answer, payloadTypes } = watching(offers.gstreamerWatching.replace('a=recvonly', 'a=inactive'));
    expect(answer.media.map(({ port, direction }) => [port, direction])).toEqual([
      [0, 'inactive'],
      [9, 'sendonly'],
    ]);
    expect(Object.keys(payloadTypes)).toEqual(['audio/opus']);
    expect(() => watching(offers.obsPublishing)).toThrow('WHEP is for receiving');
  });

  it('declares sources to all clients except browsers', () => {
    // Browsers continue with the next publisher, which has other SSRCs.
    expect(
      [offers.chromiumWatching, offers.firefoxWatching].map((text) => watching(text).needsSources),
    ).toEqual([false, false]);
    const offer = parseOffer(offers.gstreamerWatching);
    const { answers, needsSources } = watcherOf(offer);
    expect(needsSources).toBe(true);
    const consumers = [
      {
        kind: 'audio' as const,
        rtpParameters: { codecs: [], encodings: [{ ssrc: 7 }], rtcp: { cname: 'ann' } },
      },
    ];
    const answer = parse(writeAnswer(offer, declareSources(answers, consumers), transport));
    expect(answer.media.map(({ ssrcs }) => ssrcs)).toEqual([
      undefined,
      [
        { id: 7, attribute: 'cname', value: 'ann' },
        { id: 7, attribute: 'msid', value: 'parley audio' },
      ],
    ]);
  });

  it('accepts only header extensions whose id is the same in the offer and in rooms', () => {
    const uris = (text: string) =>
      watching(text).answer.media.map(({ ext = [] }) =>
        ext.map(({ value, uri }) => `${value} ${uri.split('/').at(-1)}`),
      );
    expect(uris(offers.chromiumWatching)).toEqual([[], []]);
    expect(uris(offers.firefoxWatching)).toEqual([[], ['4 abs-send-time']]);
  });

  it('requests no feedback that needs an omitted extension', () => {
    const types = (text: string) => [
      ...new Set(watching(text).answer.media[1]?.rtcpFb?.map(({ type }) => type)),
    ];
    expect(types(offers.chromiumWatching)).toEqual(['ccm', 'nack']);
    expect(types(offers.firefoxWatching)).toEqual(['nack', 'ccm', 'goog-remb']);
  });

  it('refuses an offer to send', () => {
    expect(errorOf(() => watching(offers.obsPublishing)).message).toContain('receiving');
  });

  it('refuses payload types that no router can use', () => {
    expect(errorOf(() => withPayloadTypes({ 'audio/opus': 96, 'video/vp8': 96 })).reason).toBe(
      'not_acceptable',
    );
  });
});

describe('ICE fragments', () => {
  it('writes the new user name fragment and password of an ICE restart', () => {
    const text = writeIceFragment(['0', '1'], transport);
    expect(text).toContain('a=ice-ufrag:server\r\na=ice-pwd:secret\r\n');
    expect(text).toContain('a=candidate:tcp 1 tcp 1076276479 203.0.113.5 40000 typ host tcptype passive\r\n');
    expect(parseIceFragment(text)).toEqual({ usernameFragment: 'server' });
  });

  it('refuses other bodies', () => {
    expect(errorOf(() => parseIceFragment('{}'))).toMatchObject({ reason: 'invalid_request' });
  });

  it('reads a client’s trickled candidates', () => {
    const text =
      'a=ice-ufrag:1234\r\na=ice-pwd:x\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\na=end-of-candidates\r\n';
    expect(parseIceFragment(text)).toEqual({ usernameFragment: '1234' });
  });

  it('reads the client’s fingerprint', () => {
    expect(dtlsParameters.parse(parseOffer(offers.firefoxWatching).dtlsParameters)).toBeTruthy();
  });
});
