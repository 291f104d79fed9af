import fc from 'fast-check';
import { ortc } from 'mediasoup';
import { PeerConnection, Audio, Video } from 'node-datachannel';
import { parse, parsePayloads, type MediaDescription } from 'sdp-transform';
import { describe, expect, it } from 'vitest';
import { rtpCapabilities } from '../../sdk/protocol/media.ts';
import { withPayloadTypes } from '../router/payloadTypes.ts';
import { parseOffer } from './SdpOffer.ts';
import * as offers from '../../test/harness/media/sdp/offers.ts';
import * as players from '../../test/harness/media/sdp/players.ts';
import { declareSources, watcherOf } from './watching.ts';
import { writeAnswer } from './writeAnswer.ts';

/* The server's answers to the offers of players. */

const transport = {
  iceParameters: { usernameFragment: 'server12', password: 'secretsecretsecretsecret', iceLite: true },
  iceCandidates: [
    {
      foundation: 'udp',
      priority: 1076302079,
      address: '203.0.113.5',
      ip: '203.0.113.5',
      protocol: 'udp' as const,
      port: 40000,
      type: 'host' as const,
    },
  ],
  dtlsParameters: {
    role: 'auto' as const,
    fingerprints: [{ algorithm: 'sha-256' as const, value: Array(32).fill('AB').join(':') }],
  },
};
const sent = (['audio', 'video'] as const).map((kind, index) => ({
  kind,
  rtpParameters: { codecs: [], encodings: [{ ssrc: 4_294_967_290 + index }], rtcp: { cname: 'ann' } },
}));
const all = {
  Chromium: offers.chromiumWatching,
  Firefox: offers.firefoxWatching,
  GStreamer: offers.gstreamerWatching,
  pion: players.pionWatching,
  aiortc: players.aiortcWatching,
  libdatachannel: players.libdatachannelWatching,
};

/** @throws ParleyError */
function answerTo(text: string): string {
  const offer = parseOffer(text);
  const watcher = watcherOf(offer);
  const codecs = withPayloadTypes(watcher.payloadTypes);
  ortc.generateRouterRtpCapabilities(structuredClone(codecs));
  ortc.validateAndNormalizeRtpCapabilities(
    structuredClone(rtpCapabilities.parse(watcher.rtpCapabilities)) as never,
  );
  const answers = watcher.needsSources ? declareSources(watcher.answers, sent) : watcher.answers;
  return writeAnswer(offer, answers, transport);
}

/**
 * Checks RFC 8829 and RFC 3264: the answer has the same m-lines with the same kinds and mids, and contains nothing that was not offered.
 */
function expectAnswer(offerText: string, text: string): void {
  const [offer, answer] = [parse(offerText), parse(text)];
  expect(answer.media.map(({ type }) => type)).toEqual(offer.media.map(({ type }) => type));
  const accepted = answer.media.filter(({ port }) => port !== 0);
  expect(accepted.length).toBeGreaterThan(0);
  // The parser turns a single numeric mid into a number.
  const groups = answer.groups?.map(({ type, mids }) => `${type} ${mids}`);
  expect(groups).toEqual([`BUNDLE ${accepted.map(({ mid }) => mid).join(' ')}`]);
  const { needsSources } = watcherOf(parseOffer(offerText));
  for (const [index, section] of answer.media.entries())
    if (section.port !== 0) expectSection(offer.media[index], section, needsSources);
  const numbers = accepted.flatMap(({ rtp }) => rtp.map(({ payload }) => payload));
  expect(new Set(numbers).size).toBe(numbers.length);
}

function expectSection(
  offered: MediaDescription | undefined,
  section: MediaDescription,
  needsSources: boolean,
): void {
  const payloads = parsePayloads(String(section.payloads));
  expect(section.rtp.map(({ payload }) => payload)).toEqual(payloads);
  expect(payloads.length).toBeGreaterThan(0);
  expect(parsePayloads(String(offered?.payloads))).toEqual(expect.arrayContaining(payloads));
  for (const { payload } of [...section.fmtp, ...(section.rtcpFb ?? [])])
    expect(payloads).toContain(Number(payload));
  expect(section).toMatchObject({ direction: 'sendonly', rtcpMux: 'rtcp-mux', iceUfrag: 'server12' });
  const sources = (section.ssrcs ?? []).map(({ id }) => id);
  const own = sent.find(({ kind }) => kind === section.type)?.rtpParameters.encodings[0]?.ssrc;
  expect(new Set(sources)).toEqual(new Set(needsSources ? [own] : []));
}

describe('answers to players', () => {
  it.each(Object.entries(all))('can be used by %s', (name, text) => {
    expectAnswer(text, answerTo(text));
    // Only browsers play undeclared sources.
    expect(answerTo(text).includes('a=ssrc:')).toBe(!['Chromium', 'Firefox'].includes(name));
  });

  it('are accepted by libdatachannel', () => {
    const connection = new PeerConnection('player', { iceServers: [] });
    const [audio, video] = [new Audio('0', 'RecvOnly'), new Video('1', 'RecvOnly')];
    audio.addOpusCodec(111);
    video.addVP8Codec(96);
    video.addH264Codec(102);
    for (const section of [audio, video]) connection.addTrack(section);
    connection.setLocalDescription('offer');
    connection.setRemoteDescription(answerTo(connection.localDescription()?.sdp ?? ''), 'answer');
    expect(connection.remoteDescription()?.sdp).toContain(
      `a=ssrc:${sent[1]?.rtpParameters.encodings[0]?.ssrc}`,
    );
    connection.close();
  });

  it('contain only the sources and what was offered, unless the offer is refused with VALIDATION_ERROR', () => {
    const values = [
      '0',
      '1',
      '96',
      '111',
      '255',
      '65536',
      '4294967296',
      '-1',
      '',
      'x',
      '1e9',
      '\u0000',
      'rtx',
      'é',
    ];
    const sections = [
      'm=audio',
      'm=video',
      'a=rtpmap',
      'a=fmtp',
      'a=rtcp-fb',
      'a=extmap',
      'a=mid',
      'a=group',
    ];
    const change = fc.record({
      name: fc.constantFrom('', ...sections),
      line: fc.nat(200),
      position: fc.nat(40),
      value: fc.constantFrom(...values),
      copies: fc.constantFrom(0, 1, 1, 1, 2),
    });
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(all)),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (text, changes) => {
          let lines = text.split('\r\n');
          for (const { name, line, position, value, copies } of changes) {
            const matching = lines.flatMap((one, index) => (one.startsWith(name) ? [index] : []));
            const at = matching[line % matching.length] ?? 0;
            const fields = (lines[at] ?? '').split(/([ :;=/])/);
            fields[position % fields.length] = value;
            lines = lines.toSpliced(at, 1, ...Array<string>(copies).fill(fields.join('')));
          }
          const changed = lines.join('\r\n');
          let answer: string;
          try {
            answer = answerTo(changed);
          } catch (error) {
            expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
            return;
          }
          expectAnswer(changed, answer);
          accepted++;
        },
      ),
      { numRuns: 1_500 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});
