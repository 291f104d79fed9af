import { expect, it } from 'vitest';
import { newContext } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import type { WantedToken } from '../harness/clients/TestGuest.ts';
import { until } from '../harness/until.ts';

/* Guests in Chromium pages, who have no wallet, meet a wallet in a room. */

const { harness, browser, client } = browserOnOneNode();

it('sends and receives what the participant tokens allow', async () => {
  const alice = await client();
  const roomId = await alice.page.evaluate(async () => {
    const { id } = await window.parley.conference.create({ name: 'Guests', maxParticipants: 5 });
    await window.parley.conference.join(id);
    return id;
  });
  const join = async (wanted: WantedToken) => {
    const { token } = await harness().token(roomId, wanted);
    const page = await (await newContext(browser())).newPage();
    await page.goto(`${harness().url()}/healthz`);
    await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
    await page.evaluate(
      async ([participantToken, id]) => {
        const parley = new window.sdk.Parley({ participantToken });
        const received: string[] = [];
        parley.on('media:track', ({ participant, source }) =>
          received.push(`${participant.walletAddress} ${source}`),
        );
        Object.assign(window, { guest: { received } });
        await parley.conference.join(id);
      },
      [token, roomId] as const,
    );
    return () => page.evaluate(() => (window as unknown as { guest: { received: string[] } }).guest.received);
  };
  const ofCamera = await join({ identity: 'camera', canPublish: ['camera'] });
  const ofDeaf = await join({ identity: 'deaf', canSubscribe: false });
  const sent = () =>
    alice.page.evaluate(
      (id) =>
        window.parley.conference.participants(id).map((one) => [one.walletAddress, one.audio, one.video]),
      roomId,
    );
  const all = [
    [alice.address, true, true],
    ['guest:camera', false, true],
    ['guest:deaf', true, true],
  ];
  await until(async () => JSON.stringify(await sent()) === JSON.stringify(all), 'everybody sends');
  const wanted = [
    ...[`${alice.address} camera`, `${alice.address} microphone`],
    ...['guest:deaf camera', 'guest:deaf microphone'],
  ].sort();
  await until(async () => (await ofCamera()).length >= wanted.length, 'the media of the others');
  expect((await ofCamera()).sort()).toEqual(wanted);
  expect(await ofDeaf()).toEqual([]);
});
