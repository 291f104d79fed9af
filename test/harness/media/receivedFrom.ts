import type { Page } from 'playwright-core';
import type { Source } from '../../../sdk/src/index.ts';
import { until } from '../until.ts';

export interface Inbound {
  packets: number;
  framesDecoded: number;
  /** Grows with the audio received: silence adds nothing. */
  audioEnergy: number;
}

/** Counters of a source that a bare page (`openClient`) receives from a wallet; null if the page does not receive that source. */
export function receivedFrom(
  page: Page,
  roomId: string,
  wallet: string,
  source: Source,
): Promise<Inbound | null> {
  return page.evaluate(
    async ({ id, key }) => {
      const { receiving } = await window.parley.media.stats(id);
      const track = window.tracks.get(key)?.id;
      const entry = (receiving as RTCInboundRtpStreamStats[]).find(
        ({ type, trackIdentifier }) => type === 'inbound-rtp' && trackIdentifier === track,
      );
      if (!track || !entry) return null;
      return {
        packets: entry.packetsReceived ?? 0,
        framesDecoded: entry.framesDecoded ?? 0,
        audioEnergy: entry.totalAudioEnergy ?? 0,
      };
    },
    { id: roomId, key: `${wallet} ${source}` },
  );
}

/** The minimum energy that counts as sound. A beep has ten times as much, and comfort noise has hardly any. */
const leastEnergy = 1e-5;

/** Waits until the page receives moving video and audible sound from each of these wallets. */
export async function waitForMedia(
  page: Page,
  roomId: string,
  wallets: string[],
  [video, audio]: [video: Source, audio: Source] = ['camera', 'microphone'],
): Promise<void> {
  const grows = async (wallet: string, source: Source, by: (now: Inbound, before: Inbound) => boolean) => {
    const before = await until(() => receivedFrom(page, roomId, wallet, source), `${source} of ${wallet}`);
    const check = async () => {
      const now = await receivedFrom(page, roomId, wallet, source);
      return now !== null && by(now, before);
    };
    await until(check, `more of the ${source} of ${wallet}`);
  };
  await Promise.all(
    wallets.flatMap((wallet) => [
      grows(wallet, video, (now, before) => now.framesDecoded > before.framesDecoded + 3),
      grows(wallet, audio, (now, before) => now.audioEnergy > before.audioEnergy + leastEnergy),
    ]),
  );
}
