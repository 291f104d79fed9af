import { expect, it } from 'vitest';
import { rtpCapabilities, rtpParameters } from './media.ts';

const codec = { mimeType: 'video/VP8', payloadType: 101, clockRate: 90_000 };
const sent = { codecs: [codec], encodings: [{ ssrc: 1 }], rtcp: { cname: 'name' } };
const line = 'a\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0';

it('accepts parameters of which a session description can be made', () => {
  expect(rtpParameters.safeParse({ ...sent, msid: 'stream {7f}' }).success).toBe(true);
});

it.each([
  ['the name of a source', { rtcp: { cname: line } }],
  ['the id of a stream', { msid: line }],
  ['a parameter', { codecs: [{ ...codec, parameters: { x: line } }] }],
  ['the name of a parameter', { codecs: [{ ...codec, parameters: { [line]: 1 } }] }],
  ['a layer', { encodings: [{ rid: line }] }],
])('refuses line breaks in %s, which would become lines of others’ descriptions', (_what, change) => {
  expect(rtpParameters.safeParse({ ...sent, ...change }).success).toBe(false);
});

it('refuses them in capabilities, too', () => {
  const able = { kind: 'video', mimeType: 'video/VP8', clockRate: 90_000, parameters: { x: line } };
  expect(rtpCapabilities.safeParse({ codecs: [able] }).success).toBe(false);
});
