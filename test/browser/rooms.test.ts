import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page, WebSocketRoute } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits, focused, goTo } from '../harness/browser/console.ts';
import { newcomer, type Person } from '../harness/browser/consoleChats.ts';
import {
  inWaitingRoom,
  join,
  makeRoom,
  waitForTileVideo,
  tileOf,
  withSmallCamera,
} from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { readQr } from '../harness/readQr.ts';
import { until } from '../harness/until.ts';

/* Rooms in the console: the lobby and the room. */

let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [harness, visitors] = await Promise.all([oneNode(), ConsoleVisitors.launch()]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (options = {}) => newcomer(visitors, harness.url(), { prepare: withSmallCamera, ...options });
/** Opens the link as a new, signed-out visitor. */
const open = (roomId: string) =>
  visitors.visit(`${harness.url()}/rooms/${roomId}`, { prepare: withSmallCamera });
/** Opens the link as a signed-in person. */
const goToRoom = ({ page }: Person, roomId: string) => page.goto(`${harness.url()}/rooms/${roomId}`);
const departed = (page: Page, departure: string) =>
  page.locator(`[data-testid=departed][data-departure=${departure}]`).waitFor();

/** The settings of the microphone that the page opens next. */
const nextMicrophone = (page: Page) =>
  page.evaluate(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    return new Promise<MediaTrackSettings>((resolve) => {
      mediaDevices.getUserMedia = async (constraints) => {
        const stream = await open(constraints);
        for (const track of stream.getAudioTracks()) resolve(track.getSettings());
        return stream;
      };
    });
  });

/** Holds a request of a page. @returns what prepares the page, and what waits for the request and returns how to let it go on */
function holding(request: string) {
  let send: (() => void) | null = null;
  const prepare = (context: BrowserContext) =>
    context.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        if (!String(message).includes(`"${request}"`)) return server.send(message);
        send = () => server.send(message);
      });
    });
  return { prepare, asked: () => until(() => send, `the page sends ${request}`) };
}

describe('the lobby', () => {
  it('opens a camera that is connected at the door, and opens it again after it was taken away', async () => {
    const { page } = await come();
    await page.evaluate(() => {
      const { mediaDevices } = navigator;
      const open = mediaDevices.getUserMedia.bind(mediaDevices);
      const state = Object.assign(window, { hasCamera: false, opened: [] as MediaStreamTrack[] });
      mediaDevices.getUserMedia = async (constraints) => {
        if (constraints?.video && !state.hasCamera) throw new DOMException('none', 'NotFoundError');
        const stream = await open(constraints);
        state.opened.push(...stream.getVideoTracks());
        return stream;
      };
    });
    await makeRoom(page, { name: 'Plugs' });
    await page.getByTestId('camera-failed').waitFor();
    const connect = (isThere: boolean) =>
      page.evaluate((there) => {
        Object.assign(window, { hasCamera: there });
        navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
      }, isThere);
    await connect(true);
    await page.getByTestId('lobby-video').waitFor();
    await page.getByTestId('camera-failed').waitFor({ state: 'hidden' });
    await connect(false);
    await page.evaluate(() => {
      const [camera] = (window as never as { opened: MediaStreamTrack[] }).opened;
      camera?.stop();
      camera?.dispatchEvent(new Event('ended'));
    });
    await page.getByTestId('camera-failed').waitFor();
    await connect(true);
    await page.getByTestId('lobby-video').waitFor();
    await join(page, 'Ada');
    await page.locator('[data-testid=room-camera][aria-pressed=true]').waitFor();
  });

  it('shows a preview, joins with the chosen devices, and lists the room afterwards', async () => {
    const ada = await come();
    await makeRoom(ada.page, { name: 'Preview' });
    const { page } = ada;
    await page.getByTestId('lobby-video').waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLVideoElement>('[data-testid=lobby-video]')?.videoWidth,
    );
    await page.waitForFunction(() => {
      const meter = document.querySelector<HTMLElement>('[data-testid=mic-level]');
      return Number(meter?.style.getPropertyValue('--level') ?? 0) > 0.1;
    });
    await page.getByTestId('choose-camera').locator('option').nth(1).waitFor({ state: 'attached' });
    await page.getByTestId('choose-camera').selectOption({ index: 1 });
    await page.getByTestId('voice-processing').click();
    const opened = nextMicrophone(page);
    await page.getByTestId('processing-autoGainControl').click();
    expect(await opened).toMatchObject({ echoCancellation: true, autoGainControl: false });
    await page.getByTestId('lobby-microphone').click();
    await page.locator('[data-testid=lobby-microphone][aria-pressed=false]').waitFor();
    await page.getByTestId('room-link').getByText('/rooms/room_').waitFor();
    await join(page, 'Ada');
    const own = page.locator('[data-testid=tile][data-own=true]');
    await page.locator('[data-testid=tile][data-own=true][data-video=true][data-audio=false]').waitFor();
    await own.getByText('Ada (you)').waitFor();
    await waitForTileVideo(page, ada.address);
    await page.getByTestId('room-leave').click();
    await page.getByTestId('leave-room').click();
    await departed(page, 'left');
    await page.getByTestId('to-my-rooms').click();
    await page.getByTestId('room-item').filter({ hasText: 'Preview' }).waitFor();
  });

  it('shows no level of a microphone that the browser cannot measure, and joins', async () => {
    const { page } = await come();
    await page.evaluate(() => {
      // As Firefox does if the sample rates of the microphone and the speaker differ.
      AudioContext.prototype.createMediaStreamSource = () => {
        throw new DOMException('The sample rates differ.', 'NotSupportedError');
      };
    });
    await makeRoom(page, { name: 'Unmeasured' });
    await page.getByText('Say something. The bar moves with your voice.').waitFor();
    await join(page, 'Ada');
    await page.locator('[data-testid=tile][data-own=true][data-audio=true]').waitFor();
  });

  it('joins without the devices that are blocked, and reports a link to an unknown room', async () => {
    const ada = await come();
    await makeRoom(ada.page, { name: 'Blind' });
    const { page } = ada;
    await page.getByTestId('lobby-video').waitFor();
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () =>
        Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
    });
    for (const kind of ['camera', 'microphone']) {
      await page.getByTestId(`lobby-${kind}`).click();
      await page.locator(`[data-testid=lobby-${kind}][aria-pressed=false]`).waitFor();
      await page.getByTestId(`lobby-${kind}`).click();
      await page.getByTestId(`${kind}-failed`).waitFor();
    }
    await join(page, 'Ada');
    await page.locator('[data-testid=tile][data-own=true][data-video=false][data-audio=false]').waitFor();
    await goToRoom(ada, 'room_000000000000000000000000');
    await page.locator('[data-testid=problem][data-code=NOT_FOUND]').waitFor();
  });

  it('reports locked and full rooms, and admits an invited wallet', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({
      name: 'Locked',
      maxParticipants: 2,
      settings: { locked: true },
    });
    await host.parley.conference.join(room.id);
    const ben = await come();
    await goToRoom(ben, room.id);
    await ben.page.locator('[data-testid=entry][data-entry=locked]').waitFor();
    await expect.poll(() => ben.page.getByTestId('join-room').count()).toBe(0);
    await goTo(ben.page, 'rooms');
    await host.parley.conference.invite(room.id, [ben.address]);
    await ben.page.getByTestId('open-invitation').click();
    await inWaitingRoom(ben.page);
    const other = await harness.client();
    await host.parley.conference.invite(room.id, [other.address]);
    await other.parley.conference.join(room.id);
    await ben.page.getByTestId('join-room').click();
    await ben.page.locator('[data-testid=problem][data-code=ROOM_FULL]').waitFor();
    await other.parley.conference.leave(room.id);
    await join(ben.page, 'Ben');
  });

  it('waits until a host admits or denies the visitor', async () => {
    const ada = await come();
    const roomId = await makeRoom(ada.page, { name: 'Quiet', switches: ['waitingRoom'] });
    await join(ada.page, 'Ada');
    const eve = await harness.client();
    const refused = eve.parley.conference
      .join({ roomId, displayName: 'Eve' })
      .catch((error: unknown) => error);
    const ben = await open(roomId);
    await ben.getByTestId('try-wallet').click();
    await ben.getByTestId('display-name').fill('Ben');
    await ben.getByTestId('join-room').click();
    await ben.getByTestId('waiting-room').waitFor();
    await ada.page.getByTestId('waiting-banner').getByText('and 1 more').waitFor();
    await ada.page.getByTestId('room-people').click();
    const waiter = (name: string) => ada.page.getByTestId('waiter').filter({ hasText: name });
    await waiter('Eve').getByTestId('deny').click();
    expect(await refused).toMatchObject({ code: 'ACCESS_DENIED' });
    await waiter('Eve').waitFor({ state: 'detached' });
    await ben.getByTestId('stop-waiting').click();
    await waiter('Ben').waitFor({ state: 'detached' });
    await ben.getByTestId('join-room').click();
    await waiter('Ben').getByTestId('admit').click();
    await ben.getByTestId('in-room').waitFor();
    await ada.page.getByTestId('waiter').first().waitFor({ state: 'detached' });
    await ada.page.getByTestId('person').nth(1).waitFor();
  });
});

describe('the room', () => {
  it('can be used with the keyboard: chat, microphone, hand and layout', async () => {
    const ada = await come();
    const roomId = await makeRoom(ada.page, { name: 'Keys' });
    const bob = await harness.client();
    await ada.page.getByTestId('invite-wallets').fill(`${bob.address}, 0x12`);
    await ada.page.getByTestId('send-invites').click();
    await ada.page.getByText('0x12: An address is 0x followed by 40 digits').waitFor();
    await ada.page.getByTestId('invite-wallets').fill(bob.address.toLowerCase());
    await ada.page.getByTestId('send-invites').click();
    await ada.page.getByTestId('invites-sent').getByText('1 wallet invited').waitFor();
    await bob.event('conference:invited', ({ room, from }) => room.id === roomId && from === ada.address);
    await join(ada.page, 'Ada');
    await bob.parley.conference.join({ roomId, displayName: 'Bob' });
    await bob.parley.conference.sendChat(roomId, 'Anybody here?');
    const { page } = ada;
    await page.getByTestId('room-chat-count').getByText('1').waitFor();
    await expect.poll(() => focused(page)).toBe('in-room');
    await page.keyboard.press('c');
    await page.getByTestId('room-message').getByText('Anybody here?').waitFor();
    await page.getByTestId('room-chat-count').waitFor({ state: 'detached' });
    // The second one is sent while the first one is under way.
    const texts = ['I am, with v and m.', 'And you?'];
    process.kill(harness.server.pid, 'SIGSTOP');
    for (const text of texts) {
      await page.getByTestId('room-compose').fill(text);
      await page.getByTestId('room-compose').press('Enter');
    }
    process.kill(harness.server.pid, 'SIGCONT');
    for (const text of texts)
      await bob.event('conference:chat:message', ({ message }) => message.content === text);
    const closeChat = async () => {
      await page.keyboard.press('Escape');
      await page.getByTestId('panel-chat').waitFor({ state: 'detached' });
    };
    await page.getByTestId('room-compose').fill('Not yet sent');
    await closeChat();
    await page.keyboard.press('c');
    await expect.poll(() => page.getByTestId('room-compose').inputValue()).toBe('Not yet sent');
    await closeChat();

    await page.keyboard.press('m');
    await page.locator('[data-testid=room-mic][aria-pressed=false]').waitFor();
    await bob.event('conference:participant:updated', ({ walletAddress, audio, video }) =>
      Boolean(walletAddress === ada.address && !audio && video),
    );
    await page.keyboard.press('h');
    await bob.event(
      'conference:participant:updated',
      ({ walletAddress, handRaised }) => walletAddress === ada.address && handRaised,
    );
    await page.getByTestId('raised-hand').waitFor();
    await bob.parley.conference.raiseHand(roomId);
    await page.getByTestId('room-announcement').getByText('Bob raised a hand').waitFor();

    await page.keyboard.press('l');
    await page.locator('[data-testid=in-room][data-layout=speaker]').waitFor();
    await page.getByTestId('room-speaker').getByTestId('tile').first().waitFor();
    await page.keyboard.press('l');
    await page.locator('[data-testid=in-room][data-layout=grid]').waitFor();
  });

  it('shows a lost connection and keeps the membership', async () => {
    let isCut = false;
    const sockets = new Set<WebSocketRoute>();
    const ada = await come({
      prepare: async (context: BrowserContext) => {
        await withSmallCamera(context);
        await context.routeWebSocket(/socket\.io/, (socket) => {
          if (isCut) return void socket.close();
          socket.connectToServer();
          sockets.add(socket);
        });
      },
    });
    const roomId = await makeRoom(ada.page, { name: 'Tunnel' });
    await join(ada.page, 'Ada');
    const bob = await harness.client();
    await bob.parley.conference.join({ roomId, displayName: 'Bob' });
    await tileOf(ada.page, bob.address).waitFor();
    isCut = true;
    for (const socket of sockets) await socket.close();
    await ada.page.getByTestId('room-reconnecting').waitFor();
    await bob.parley.conference.sendChat(roomId, 'Are you still there?');
    isCut = false;
    await ada.page.getByTestId('room-reconnecting').waitFor({ state: 'detached' });
    // The message written in the meantime has arrived.
    await ada.page.getByTestId('room-chat-count').getByText('1').waitFor();
    expect(bob.seen('conference:participant:left')).toEqual([]);
  });

  it('spreads thirteen participants over two pages on a small phone, and everything fits', async () => {
    const ada = await come({ viewport: { width: 375, height: 667 }, colorScheme: 'dark' });
    const { page } = ada;
    await goTo(page, 'rooms');
    await fits(page, 'new-room');
    await page.getByTestId('new-room').click();
    await fits(page, 'create-room');
    await page.getByTestId('room-name').fill('A room with a name that is too long for any phone there is');
    await page.getByTestId('create-room').click();
    const roomId = await inWaitingRoom(page);
    await fits(page, 'join-room');
    await join(page, 'Ada');
    const others = await Promise.all(Array.from({ length: 12 }, () => harness.client()));
    for (const { parley } of others) await parley.conference.join(roomId);
    await page.getByTestId('page-of').getByText('1 of 2').waitFor();
    await fits(page, 'room-leave');
    await page.getByTestId('page-after').click();
    await page.getByTestId('page-of').getByText('2 of 2').waitFor();
    await tileOf(page, others.at(-1)?.address ?? '').waitFor();
    for (const panel of ['people', 'chat']) {
      await page.getByTestId(`room-${panel}`).click();
      await fits(page, `panel-${panel}`);
    }
    await page.getByTestId('room-chat').click();
    await page.getByTestId('room-more').click();
    await fits(page, 'room-hand');
  });
});

describe('meeting now', () => {
  it('leaves the user on the page where they have gone before the room was made', async () => {
    const { prepare, asked } = holding('conference.create');
    const { page } = await come({ prepare });
    await goTo(page, 'rooms');
    await page.getByTestId('meet-now').click();
    const makeLate = await asked();
    await goTo(page, 'account');
    makeLate();
    // Long enough for the room to open.
    await page.waitForTimeout(500);
    await expect.poll(() => new URL(page.url()).pathname).toBe('/account');
  });

  it('keeps an address that is entered while others are being invited', async () => {
    const { prepare, asked } = holding('conference.invite');
    const [{ page }, bob, cleo] = await Promise.all([come({ prepare }), harness.client(), harness.client()]);
    await makeRoom(page, { name: 'Guests' });
    await page.getByTestId('invite-wallets').fill(bob.address);
    await page.getByTestId('send-invites').click();
    const invite = await asked();
    await page.getByTestId('invite-wallets').fill(cleo.address);
    invite();
    await page.getByTestId('invites-sent').getByText('1 wallet invited').waitFor();
    await expect.poll(() => page.getByTestId('invite-wallets').inputValue()).toBe(cleo.address);
  });

  it('takes one click, offers ways to invite people, and keeps the chat when the room has ended', async () => {
    const ada = await come();
    const { page } = ada;
    await goTo(page, 'rooms');
    await page.getByTestId('meet-now').click();
    const roomId = await inWaitingRoom(page);

    await page.getByTestId('show-qr').click();
    expect(await scan(page)).toBe(`${harness.url()}/rooms/${roomId}`);
    await page.getByTestId('show-calendar').click();
    await page.getByTestId('calendar-start').fill('2030-05-06T10:30');
    await page.getByTestId('calendar-minutes').selectOption('45');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('calendar-download').click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^Meeting-of-.+\.ics$/);
    const file = (await readFile(await download.path(), 'utf8')).replace(/\r\n /g, '');
    expect(file).toContain(`URL:${harness.url()}/rooms/${roomId}\r\n`);
    const times = [...file.matchAll(/DT(?:START|END):(\d+T\d+)Z/g)].map(([, time]) => time);
    expect(times).toHaveLength(2);
    const mail = decodeURIComponent((await page.getByTestId('mail-link').getAttribute('href')) ?? '');
    expect(mail).toContain(`/rooms/${roomId}`);

    await join(page, 'Ada');
    await page.keyboard.press('?');
    await page.getByTestId('shortcuts').getByText('Raise your hand').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('shortcuts').waitFor({ state: 'detached' });
    await page.getByTestId('room-more').click();
    await page.getByTestId('room-devices').click();
    const dialog = page.getByTestId('device-dialog');
    await dialog.getByTestId('choose-camera').locator('option').nth(1).waitFor({ state: 'attached' });
    await dialog.getByTestId('choose-camera').selectOption({ index: 1 });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByTestId('room-compose').fill('See you next week');
    await page.getByTestId('room-send').click();
    await page.getByTestId('room-message').getByText('See you next week').waitFor();
    await page.getByTestId('room-leave').click();
    await page.getByTestId('end-room').click();
    await departed(page, 'ended');
    await page.getByTestId('to-my-rooms').click();
    await page.locator(`[data-testid=past-room][data-room=${roomId}]`).getByTestId('past-chat').click();
    await page.getByTestId('past-message').getByText('See you next week').waitFor();
    await fits(page, 'past-message');
  });

  it('lets a host admit and deny everybody who waits', async () => {
    const ada = await come();
    const roomId = await makeRoom(ada.page, { name: 'Doors', switches: ['waitingRoom'] });
    await join(ada.page, 'Ada');
    const ask = async (displayName: string) => {
      const { parley } = await harness.client();
      return parley.conference.join({ roomId, displayName }).then(
        () => 'in',
        () => 'denied',
      );
    };
    const waiters = (count: number) =>
      until(async () => (await ada.page.getByTestId('waiter').count()) === count, `${count} waiting people`);
    await ada.page.getByTestId('room-people').click();
    const first = [ask('Bob'), ask('Cleo')];
    await waiters(2);
    await ada.page.getByTestId('admit-all').click();
    expect(await Promise.all(first)).toEqual(['in', 'in']);
    const second = [ask('Dan'), ask('Eve')];
    await waiters(2);
    await ada.page.getByTestId('deny-all').click();
    expect(await Promise.all(second)).toEqual(['denied', 'denied']);
    await waiters(0);
  });

  it('does not let the next one in when a host clicks twice', async () => {
    const ada = await come();
    const roomId = await makeRoom(ada.page, { name: 'Twice', switches: ['waitingRoom'] });
    await join(ada.page, 'Ada');
    await ada.page.getByTestId('room-people').click();
    const waiters = ada.page.getByTestId('waiter');
    const joins: Promise<unknown>[] = [];
    for (const displayName of ['Bob', 'Cleo', 'Dan']) {
      const { parley } = await harness.client();
      joins.push(parley.conference.join({ roomId, displayName }));
      await waiters.filter({ hasText: displayName }).waitFor();
    }
    expect(await clickTwice(ada.page, 'banner-admit')).toBe(true);
    await joins[0];
    await waiters.getByTestId('admit').first().click({ trial: true });
    await expect.poll(() => waiters.count()).toBe(2);
    expect(await clickTwice(ada.page, 'admit')).toBe(true);
    await joins[1];
    await waiters.filter({ hasText: 'Dan' }).getByTestId('admit').click();
    await joins[2];
  });
});

/** Clicks a button for the first one who waits, and again as soon as another one is the first. @returns whether it was disabled then */
const clickTwice = (page: Page, button: string) =>
  page.evaluate(
    (id) =>
      new Promise<boolean | undefined>((resolve) => {
        const first = () => document.querySelector<HTMLElement>('[data-testid=waiter]')?.dataset['address'];
        const present = () => document.querySelector<HTMLButtonElement>(`[data-testid=${id}]`);
        const before = first();
        new MutationObserver((_changes, observer) => {
          if (first() === before) return;
          observer.disconnect();
          present()?.click();
          resolve(present()?.disabled);
        }).observe(document.body, { subtree: true, childList: true });
        present()?.click();
      }),
    button,
  );

/** Reads the QR code on the page, as a camera does. */
async function scan(page: Page): Promise<string | undefined> {
  const image = await page.getByTestId('qr-code').screenshot();
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return readQr(new Uint8ClampedArray(data), info.width, info.height)?.data;
}
