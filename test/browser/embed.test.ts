import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { newContext } from '../harness/browser/browser.ts';
import { freePorts } from '../harness/nodes/ports.ts';

/* The elements of /sdk/embed.js on a page of another origin, as docs/guides/embedding.md describes them. */

const port = await freePorts();
const origin = `http://127.0.0.1:${port}`;
const { harness, browser } = browserOnOneNode({ EMBED_ORIGINS: origin });
let server: Server;
let html = '';

beforeAll(() => {
  server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html));
  server.listen(port, '127.0.0.1');
});
afterAll(() => server.close());

/** Opens a page of the other origin. */
async function show(body: string): Promise<Page> {
  html = `<!doctype html><meta charset="utf-8" /><script src="${harness().url()}/sdk/embed.js"></script>${body}`;
  const page = await (await newContext(browser())).newPage();
  await page.goto(origin);
  return page;
}

/** Records parley-joined and parley-left. @returns reads what was recorded */
async function hearComings(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    for (const name of ['joined', 'left']) addEventListener(`parley-${name}`, () => heard.push(name));
    Object.assign(window, { heard });
  });
  return () => page.evaluate(() => (window as never as { heard: string[] }).heard);
}

const room = 'room="room_000000000000000000000000"';

it('gives an element the size that the page gives it, and hides it if the page does', async () => {
  const page = await show(`
    <style>.low { height: 200px } .off { display: none } .row { display: flex; width: 600px; height: 300px }</style>
    <parley-room id="plain" ${room}></parley-room>
    <parley-room id="low" class="low" ${room}></parley-room>
    <parley-room id="off" class="off" ${room}></parley-room>
    <parley-room id="hidden" hidden ${room}></parley-room>
    <div class="row"><parley-room id="flexible" style="flex: 1; height: auto" ${room}></parley-room></div>`);
  const sizeOf = (selector: string) =>
    page
      .locator(selector)
      .evaluate((element: HTMLElement) => [element.offsetWidth > 0, element.offsetHeight] as const);
  const { height = 0 } = page.viewportSize() ?? {};
  expect(await sizeOf('#plain')).toEqual([true, Math.min(480, height)]);
  expect(await sizeOf('#plain iframe')).toEqual(await sizeOf('#plain'));
  for (const id of ['#low', '#low iframe']) expect(await sizeOf(id)).toEqual([true, 200]);
  for (const id of ['#off', '#hidden']) expect(await sizeOf(id)).toEqual([false, 0]);
  for (const id of ['#flexible', '#flexible iframe']) expect(await sizeOf(id)).toEqual([true, 300]);
  await page.context().close();
});

it('says which attribute is missing, and shows nothing any more once it is removed', async () => {
  const page = await show(`<parley-room ${room}></parley-room>`);
  const warnings: string[] = [];
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
  await page.locator('parley-room iframe').waitFor();
  await page.locator('parley-room').evaluate((element) => element.removeAttribute('room'));
  await page.locator('parley-room iframe').waitFor({ state: 'detached' });
  expect(warnings).toEqual(['<parley-room> shows nothing without its attribute “room”.']);
  await page.context().close();
});

it('tells the page what went wrong, as the frame says it', async () => {
  const page = await show('');
  const heard: string[] = [];
  await page.exposeFunction('hear', (message: string) => heard.push(message));
  await page.evaluate(() => {
    const { hear } = window as never as { hear: (message: string) => void };
    addEventListener('parley-error', (event) =>
      hear((event as CustomEvent<{ message: string }>).detail.message),
    );
    document.body.insertAdjacentHTML(
      'beforeend',
      '<parley-room room="room_000000000000000000000000"></parley-room><parley-stream stream="str_000000000000000000000000"></parley-stream><parley-room room="room_000000000000000000000000" token="pt_nothing"></parley-room>',
    );
  });
  const guest = page.frameLocator('parley-room:not([token]) iframe').getByTestId('sign-in-as-guest');
  // Not at the edge of the frame.
  expect(await guest.evaluate((button) => button.getBoundingClientRect().left)).toBeGreaterThanOrEqual(16);
  await guest.click();
  await expect
    .poll(() => heard.map((message) => message.split('.')[0]).sort())
    .toEqual(['Room not found', 'Stream not found', 'This link is no longer valid']);
  await page.context().close();
});

it('tells the page when a call was declined, and when one was answered and has ended', async () => {
  const callee = await harness().client();
  const page = await show(`<parley-call wallet="${callee.address}" type="audio"></parley-call>`);
  const heard = await hearComings(page);
  const frame = page.frameLocator('parley-call iframe');
  await frame.getByTestId('sign-in-as-guest').click();
  await frame.getByTestId('embedded-start-call').click();
  const declined = await callee.event('call:incoming');
  await callee.parley.calls.decline(declined.id);
  await expect.poll(heard).toEqual(['left']);
  await frame.getByTestId('embedded-start-call').click();
  const answered = await callee.event('call:incoming', ({ id }) => id !== declined.id);
  await callee.parley.calls.answer(answered.id);
  await expect.poll(heard).toEqual(['left', 'joined']);
  await callee.parley.calls.end(answered.id);
  await expect.poll(heard).toEqual(['left', 'joined', 'left']);
  await page.context().close();
});

it('takes over another theme, name and title without leaving the room', async () => {
  const { parley } = await harness().client();
  const { id } = await parley.conference.create({ name: 'Themes', maxParticipants: 5 });
  const { token } = await harness().token(id, { identity: 'bob', displayName: 'Bob' });
  const page = await show(`<parley-room room="${id}" token="${token}" theme="light"></parley-room>`);
  const heard = await hearComings(page);
  const frame = page.frameLocator('parley-room iframe');
  await frame.getByTestId('join-room').click();
  await frame.getByTestId('in-room').waitFor();
  await expect.poll(heard).toEqual(['joined']);
  await page.locator('parley-room').evaluate((element) => {
    for (const [name, value] of [
      ['theme', 'dark'],
      ['name', 'Robert'],
      ['title', 'Our meeting'],
    ] as const)
      element.setAttribute(name, value);
  });
  await frame.locator('html[data-parley-theme=dark]').waitFor();
  await page.locator('parley-room iframe[title="Our meeting"]').waitFor();
  await frame.getByTestId('in-room').waitFor();
  expect(await heard()).toEqual(['joined']);
  await page.context().close();
});

it('has the name at the door that the page gives later', async () => {
  const { parley } = await harness().client();
  const { id } = await parley.conference.create({ name: 'Names', maxParticipants: 5 });
  const page = await show(`<parley-room room="${id}" name="Ada"></parley-room>`);
  const frame = page.frameLocator('parley-room iframe');
  await frame.getByTestId('sign-in-as-guest').click();
  const name = frame.getByTestId('display-name');
  await expect.poll(() => name.inputValue()).toBe('Ada');
  await page.locator('parley-room').evaluate((element) => element.setAttribute('name', 'Ada L.'));
  await expect.poll(() => name.inputValue()).toBe('Ada L.');
  await page.context().close();
});

it('tells the page once when a viewer comes back to a stream that the page has left', async () => {
  const host = await harness().client();
  const { id } = await host.parley.streaming.create({ title: 'Soon' });
  const page = await show(`<parley-stream stream="${id}"></parley-stream>`);
  const heard = await hearComings(page);
  await expect.poll(heard).toEqual(['joined']);
  await page.evaluate(() => (document.querySelector('parley-stream') as never as { leave(): void }).leave());
  await expect.poll(heard).toEqual(['joined', 'left']);
  const frame = page.frameLocator('parley-stream iframe');
  await frame.getByRole('button', { name: 'Watch' }).click();
  await frame.getByTestId('watch').waitFor();
  await expect.poll(heard).toEqual(['joined', 'left', 'joined']);
  await page.context().close();
});

it('says in a frame without the script that the page around it allows no devices', async () => {
  const { parley } = await harness().client();
  const { id } = await parley.conference.create({ name: 'Framed', maxParticipants: 5 });
  const { token } = await harness().token(id, { identity: 'bob', displayName: 'Bob' });
  const page = await show(`<iframe src="${harness().url()}/embed/room/${id}#token=${token}"></iframe>`);
  const failed = page.frameLocator('iframe').getByTestId('camera-failed');
  await expect.poll(() => failed.textContent()).toContain('is not allowed on this website');
  await page.context().close();
});

it('moves nothing while a call rings, if the user wants less motion', async () => {
  const callee = await harness().client();
  const page = await show(`<parley-call wallet="${callee.address}"></parley-call>`);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const frame = page.frameLocator('parley-call iframe');
  await frame.getByTestId('sign-in-as-guest').click();
  await frame.getByTestId('embedded-start-call').click();
  await callee.event('call:incoming');
  await frame.getByText('Calling…').first().waitFor();
  const moving = () => frame.locator('html').evaluate(() => document.getAnimations().length);
  const rings = () => frame.getByText('Calling…').first().isVisible();
  await expect.poll(async () => [await moving(), await rings()]).toEqual([0, true]);
  await page.context().close();
});
