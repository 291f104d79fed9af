import type { Page } from 'playwright-core';

/*
 * WHIP and WHEP in a page that uses only RTCPeerConnection and fetch, and none of Parley's code.
 */

/** A page of Playwright or of Firefox.ts. */
export type ScriptedPage = Pick<Page, 'evaluate'>;

declare global {
  interface Window {
    connections: Record<string, RTCPeerConnection>;
  }
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface Connecting {
  url: string;
  /** The bearer token. */
  credential?: string | undefined;
  /** The name of the connection in the page. */
  name?: string;
  /** Simulcast layers of the sent video. */
  layers?: { rid: string; scaleResolutionDownBy: number }[];
  /** The preferred codec of the sent video, for example video/h264. */
  codec?: string;
  /** Pairs of payload types to swap in the offer, to test payload types other than the browser's. */
  renumber?: Record<string, string>;
}

/** Publishes camera and microphone by WHIP. */
export function publishIn(page: ScriptedPage, options: Connecting): Promise<HttpAnswer> {
  return connectIn(page, { name: 'publisher', ...options }, true);
}

/** Plays a stream by WHEP. */
export function watchIn(page: ScriptedPage, options: Connecting): Promise<HttpAnswer> {
  return connectIn(page, { name: 'player', ...options }, false);
}

function connectIn(
  page: ScriptedPage,
  options: Connecting & { name: string },
  sends: boolean,
): Promise<HttpAnswer> {
  return page.evaluate(
    async ({ url, credential, name, layers, codec, renumber = {}, sends: isSending }) => {
      const connection = new RTCPeerConnection();
      window.connections = { ...window.connections, [name]: connection };
      if (isSending) {
        const media = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
        for (const track of media.getTracks()) {
          const isLayered = track.kind === 'video' && layers;
          const transceiver = connection.addTransceiver(track, {
            direction: 'sendonly',
            streams: [media],
            ...(isLayered ? { sendEncodings: layers } : {}),
          });
          const known = RTCRtpSender.getCapabilities(track.kind)?.codecs ?? [];
          if (codec && track.kind === 'video') {
            const isFirst = ({ mimeType }: { mimeType: string }) => mimeType.toLowerCase() === codec;
            transceiver.setCodecPreferences([
              ...known.filter(isFirst),
              ...known.filter((one) => !isFirst(one)),
            ]);
          }
        }
      } else {
        connection.addTransceiver('audio', { direction: 'recvonly' });
        connection.addTransceiver('video', { direction: 'recvonly' });
        connection.ontrack = ({ track }) => {
          const element = document.createElement(track.kind) as HTMLMediaElement;
          Object.assign(element, { autoplay: true, playsInline: true, srcObject: new MediaStream([track]) });
          document.body.append(element);
        };
      }
      const offer = await connection.createOffer();
      const swapped = {
        ...renumber,
        ...Object.fromEntries(Object.entries(renumber).map(([a, b]) => [b, a])),
      };
      const swap = (_all: string, before: string, number: string) => before + (swapped[number] ?? number);
      const renumbered = (offer.sdp ?? '')
        .replace(/^m=.*$/gm, (line) => line.replace(/( )(\d+)(?=[ \r]|$)/g, swap))
        .replace(/^(a=(?:rtpmap|fmtp|rtcp-fb):)(\d+)/gm, swap)
        .replace(/( apt=)(\d+)/g, swap);
      await connection.setLocalDescription({ type: 'offer', sdp: renumbered });
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/sdp',
          ...(credential ? { Authorization: `Bearer ${credential}` } : {}),
        },
        body: connection.localDescription?.sdp ?? '',
      });
      const answer = {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
      if (response.status === 201)
        await connection.setRemoteDescription({ type: 'answer', sdp: answer.body });
      return answer;
    },
    { ...options, sends },
  );
}

/** Restarts ICE (RFC 9725): the client sends its new ICE credentials and applies the server's. */
export function restartIceIn(page: ScriptedPage, sessionUrl: string, name: string): Promise<HttpAnswer> {
  return page.evaluate(
    async ({ url, connection: which }) => {
      const connection = window.connections[which];
      if (!connection) throw new Error(`no connection ${which}`);
      const offer = await connection.createOffer({ iceRestart: true });
      const before = connection.remoteDescription?.sdp ?? '';
      await connection.setLocalDescription(offer);
      const own = (line: string) => new RegExp(`^a=${line}:.*$`, 'm').exec(offer.sdp ?? '')?.[0] ?? '';
      const response = await fetch(url, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/trickle-ice-sdpfrag', 'If-Match': '"*"' },
        body: `${own('ice-ufrag')}\r\n${own('ice-pwd')}\r\n`,
      });
      const body = await response.text();
      const fresh = (line: string) => new RegExp(`^a=${line}:.*$`, 'm').exec(body)?.[0] ?? '';
      if (response.status === 200) {
        const sdp = before
          .replace(/^a=ice-ufrag:.*$/gm, fresh('ice-ufrag').trim())
          .replace(/^a=ice-pwd:.*$/gm, fresh('ice-pwd').trim());
        await connection.setRemoteDescription({ type: 'answer', sdp });
      }
      return { status: response.status, headers: Object.fromEntries(response.headers), body };
    },
    { url: sessionUrl, connection: name },
  );
}

export interface Playing {
  state: string;
  ice: string;
  framesDecoded: number;
  /** Grows with the audio received. */
  audioEnergy: number;
  /** For example video/VP8. */
  videoCodec: string;
  packetsSent: number;
  /** Frames that the page's video element has shown. */
  framesShown: number;
}

export function statsIn(page: ScriptedPage, name: string): Promise<Playing> {
  return page.evaluate(async (which) => {
    const connection = window.connections[which];
    if (!connection) throw new Error(`no connection ${which}`);
    const entries = [...(await connection.getStats()).values()] as (RTCInboundRtpStreamStats &
      RTCOutboundRtpStreamStats & { mimeType?: string; type: string })[];
    const of = (type: string) => entries.filter((entry) => entry.type === type);
    const sum = (type: string, pick: 'framesDecoded' | 'totalAudioEnergy' | 'packetsSent') =>
      of(type).reduce((total, entry) => total + (entry[pick] ?? 0), 0);
    const codecId = of('inbound-rtp').find(({ kind }) => kind === 'video')?.codecId;
    return {
      state: connection.connectionState,
      ice: connection.iceConnectionState,
      framesDecoded: sum('inbound-rtp', 'framesDecoded'),
      audioEnergy: sum('inbound-rtp', 'totalAudioEnergy'),
      videoCodec: entries.find(({ id }) => id === codecId)?.mimeType ?? '',
      packetsSent: sum('outbound-rtp', 'packetsSent'),
      framesShown: document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0,
    };
  }, name);
}
