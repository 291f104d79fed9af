import { expect, it } from 'vitest';
import { leave, received, reconnects, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { intercept } from '../harness/browser/intercept.ts';
import { until } from '../harness/until.ts';

const { pair } = browserOnOneNode();

/** Holds the next message of a page that contains this text. */
class HeldMessage {
  /** The sources that the page has asked to publish. */
  readonly produced: string[] = [];
  #text: string | null = null;
  #isHeld = false;
  #release: () => void = () => undefined;
  #closesNext = false;

  async install(client: BrowserClient): Promise<void> {
    await intercept(client, {
      sent: (message) => {
        if (message.includes('"media.produce"'))
          this.produced.push(/"source":"([^"]+)"/.exec(message)?.[1] ?? '');
        if (!this.#text || !message.includes(this.#text)) return;
        this.#text = null;
        this.#isHeld = true;
        return new Promise<void>((resolve) => (this.#release = resolve));
      },
      received: (message) => {
        if (!this.#closesNext) return message;
        this.#closesNext = false;
        return null;
      },
    });
  }

  hold(text: string): void {
    this.#text = text;
  }

  async held(): Promise<void> {
    await until(() => this.#isHeld, 'the message is held');
  }

  release(): void {
    this.#release();
  }

  /** Closes the connection at the server's next message. */
  closeNext(): void {
    this.#closesNext = true;
  }
}

/** Two pages in a room. The first one sends no camera, and its messages can be held. */
async function inRoom() {
  const [alice, bob] = await pair();
  const message = new HeldMessage();
  await message.install(alice);
  const roomId = await alice.page.evaluate(async () => {
    const { id } = await window.parley.conference.create({ name: 'Room', maxParticipants: 5 });
    await window.parley.conference.join({ roomId: id, video: false });
    return id;
  });
  await bob.page.evaluate(
    (id) => window.parley.conference.join({ roomId: id, audio: false, video: false }),
    roomId,
  );
  return { alice, bob, message, roomId };
}

/** Begins to switch the camera on. @returns a function that waits until it is on */
async function beginCamera({ page }: BrowserClient, roomId: string): Promise<() => Promise<void>> {
  const switching = page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
  await page.waitForFunction(
    (id) => window.parley.media.localStream(id)?.getVideoTracks().length === 1,
    roomId,
  );
  return () => switching;
}

const camera = ({ page }: BrowserClient, roomId: string) =>
  page.evaluate(
    (id) => window.parley.media.localStream(id)?.getVideoTracks()[0]?.readyState ?? 'none',
    roomId,
  );

it('publishes a camera once that is switched on while the media resumes', async () => {
  const { alice, bob, message, roomId } = await inRoom();
  message.hold('"media.resume"');
  await reconnects(alice, async () => {
    message.closeNext();
    await alice.page.evaluate(() => window.parley.calls.getActive().catch(() => undefined));
  });
  await message.held();
  const isOn = await beginCamera(alice, roomId);
  message.release();
  await isOn();
  expect(message.produced).toEqual(['microphone', 'camera']);
  await until(async () => (await received(bob.page, roomId)).framesDecoded > 3, 'the video');
  await leave(alice, bob);
});

it('sends the latest camera if another one was opened while the first was published', async () => {
  const { alice, bob, message, roomId } = await inRoom();
  message.hold('"media.produce"');
  const isOn = await beginCamera(alice, roomId);
  await message.held();
  const first = await alice.page.evaluateHandle(
    (id) => window.parley.media.localStream(id)?.getVideoTracks()[0],
    roomId,
  );
  const again = alice.page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
  await alice.page.waitForFunction((track) => track?.readyState === 'ended', first);
  message.release();
  await Promise.all([isOn(), again]);
  expect(message.produced).toEqual(['microphone', 'camera']);
  await until(async () => (await received(bob.page, roomId)).framesDecoded > 3, 'the video');
  await leave(alice, bob);
});

it('keeps a camera and a microphone off that are switched off while they open', async () => {
  const { alice, bob, roomId } = await inRoom();
  const offWhileOpening = (kind: 'Video' | 'Audio') =>
    alice.page.evaluate(
      async ([id, which]) => {
        const { conference, media } = window.parley;
        const devices = navigator.mediaDevices;
        const ask = devices.getUserMedia.bind(devices);
        devices.getUserMedia = async (constraints) => {
          devices.getUserMedia = ask;
          const stream = await ask(constraints);
          await conference[`mute${which}`](id);
          return stream;
        };
        await conference[`unmute${which}`](id);
        const track = media
          .localStream(id)
          ?.getTracks()
          .find(({ kind }) => kind === which.toLowerCase());
        return track?.readyState === 'live' && track.enabled;
      },
      [roomId, kind] as const,
    );
  // First for a camera that was never sent, then for one that is off.
  expect(await offWhileOpening('Video')).toBe(false);
  await alice.page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
  expect(await camera(alice, roomId)).toBe('live');
  await alice.page.evaluate((id) => window.parley.conference.muteVideo(id), roomId);
  expect(await offWhileOpening('Video')).toBe(false);
  await alice.page.evaluate((id) => window.parley.media.sending.stopAll(id), roomId);
  expect(await offWhileOpening('Audio')).toBe(false);
  const own = await bob.page.evaluate(
    ([id, wallet]) =>
      window.parley.conference
        .participants(id)
        .filter(({ walletAddress }) => walletAddress === wallet)
        .map(({ audio, video }) => ({ audio, video })),
    [roomId, alice.address] as const,
  );
  expect(own).toEqual([{ audio: false, video: false }]);
  await leave(alice, bob);
});
