import type { Browser, BrowserContext } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Parley } from '../../../sdk/src/index.ts';
import { newContext } from '../browser/browser.ts';

/** A participant and the camera video they send. */
export interface RoomParticipant {
  name: string;
  /** Of the video. */
  width: number;
  height: number;
  speaks?: boolean;
}

interface Present extends RoomParticipant {
  address: string;
  /** The colour of the wall behind them, in degrees. */
  hue: number;
}

declare global {
  interface Window {
    signAs: (address: string, message: string) => Promise<string>;
    participants: Parley[];
  }
}

/**
 * Joins several wallets to a room, all in one page: each sends a different video and views none, because two cores can handle no more.
 * @returns their addresses, in the order of the guests
 */
export async function joinParticipants(
  browser: Browser,
  url: string,
  roomId: string,
  guests: RoomParticipant[],
): Promise<{ context: BrowserContext; addresses: string[] }> {
  const accounts = guests.map(() => privateKeyToAccount(generatePrivateKey()));
  const addresses = accounts.map(({ address }) => address);
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.exposeFunction('signAs', (address: string, message: string) =>
    accounts.find((account) => account.address === address)?.signMessage({ message }),
  );
  await page.goto(`${url}/healthz`);
  await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
  await page.evaluate(participant, {
    roomId,
    participants: guests.map((guest, index) => ({
      ...guest,
      address: addresses[index] ?? '',
      hue: Math.round((index * 360) / guests.length),
    })),
  });
  return { context, addresses };
}

/** Runs in the page. */
async function participant({
  roomId,
  participants,
}: {
  roomId: string;
  participants: Present[];
}): Promise<void> {
  /** A video of a head that sways in front of a wall. */
  const cameraOf = ({ width, height, hue }: Present): MediaStreamTrack => {
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const unit = Math.min(width, height);
    const oval = (colour: string, ...[x, y, across, down]: [number, number, number, number]) => {
      context.fillStyle = colour;
      context.beginPath();
      context.ellipse(x, y, across * unit, down * unit, 0, 0, 2 * Math.PI);
      context.fill();
    };
    let painted = 0;
    const paint = () => {
      const sway = Math.sin(painted++ / 3) * unit * 0.04;
      const [x, y] = [width / 2 + sway, height * 0.45];
      const wall = context.createLinearGradient(0, 0, width, height);
      wall.addColorStop(0, `hsl(${hue} 35% 78%)`);
      wall.addColorStop(1, `hsl(${hue} 30% 52%)`);
      context.fillStyle = wall;
      context.fillRect(0, 0, width, height);
      oval(`hsl(${hue + 180} 35% 35%)`, width / 2, height + unit * 0.05, 0.42, 0.36);
      oval(`hsl(25 45% ${45 + (hue % 35)}%)`, x, y, 0.19, 0.25);
      oval(`hsl(${hue} 30% 18%)`, x, y - unit * 0.2, 0.2, 0.12);
      for (const side of [-1, 1]) oval('#222', x + side * unit * 0.07, y - unit * 0.02, 0.018, 0.022);
      oval('#803c34', x, y + unit * 0.12, 0.06, 0.02);
    };
    paint();
    setInterval(paint, 200);
    const track = canvas.captureStream(5).getVideoTracks()[0] as MediaStreamTrack;
    track.contentHint = 'motion';
    return track;
  };
  const devices = navigator.mediaDevices;
  const microphone = devices.getUserMedia.bind(devices);
  window.participants = [];
  for (const guest of participants) {
    const { address, name } = guest;
    devices.getUserMedia = async ({ audio } = {}) => {
      const audioTracks = audio ? (await microphone({ audio })).getTracks() : [];
      return new MediaStream([...audioTracks, cameraOf(guest)]);
    };
    const parley = new window.sdk.Parley({ apiKey: '' });
    window.participants.push(parley);
    parley.on('media:track', ({ track, participant, source }) => {
      // An element that is not in the document has no size, so the server sends no video.
      if (track.kind === 'video')
        parley.media.attach(document.createElement('video'), { participant: participant.id, source });
    });
    const signMessage = ({ message }: { message: string }) => window.signAs(address, message);
    await parley.signIn({ address, signMessage });
    await parley.conference.join({ roomId, displayName: name, video: true, audio: guest.speaks === true });
  }
}
