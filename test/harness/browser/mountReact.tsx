import { CallScreen, Chat, IncomingCalls, ParleyProvider, Room } from '@parley/react';
import { Parley } from '@parley/sdk';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { privateKeyToAccount } from 'viem/accounts';

/* Runs in a page: mounts and unmounts components of @parley/react, and counts what is left. Bundled by reactLeaks.test.ts. */

interface Left {
  /** Event handlers on the window, the document and media queries, which outlive components. */
  handlers: number;
  sockets: number;
  elements: number;
  /** Handlers on the client of the app. */
  clientHandlers: number;
  tracks: number;
}

let handlers = 0;
let clientHandlers = 0;
const sockets: WebSocket[] = [];
const tracks: MediaStreamTrack[] = [];

/** Counts the handlers that are added to and removed from objects that outlive components. */
function countHandlers(): void {
  const added = new WeakMap<EventTarget, Set<string>>();
  const keys = new WeakMap<object, number>();
  let last = 0;
  const keyOf = (type: string, handler: object, options: unknown) => {
    if (!keys.has(handler)) keys.set(handler, (last += 1));
    const capture =
      typeof options === 'object'
        ? Boolean((options as AddEventListenerOptions | null)?.capture)
        : Boolean(options);
    return `${type} ${keys.get(handler)} ${capture}`;
  };
  const isLasting = (target: unknown) => target === window || target === document || target === undefined;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with their object below
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, handler, options) {
    if (isLasting(this) && handler && !(typeof options === 'object' && options.once)) {
      const known = added.get(this ?? window) ?? new Set();
      added.set(this ?? window, known);
      const key = keyOf(type, handler, options);
      if (!known.has(key)) handlers += 1;
      known.add(key);
    }
    addEventListener.call(this ?? window, type, handler, options);
  };
  EventTarget.prototype.removeEventListener = function (type, handler, options) {
    if (isLasting(this) && handler && added.get(this ?? window)?.delete(keyOf(type, handler, options)))
      handlers -= 1;
    removeEventListener.call(this ?? window, type, handler, options);
  };
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      sockets.push(this);
    }
  };
  const { mediaDevices } = navigator;
  const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const stream = await getUserMedia(constraints);
    tracks.push(...stream.getTracks());
    return stream;
  };
}

const left = (): Left => ({
  handlers,
  sockets: sockets.filter(({ readyState }) => readyState <= WebSocket.OPEN).length,
  elements: document.body.querySelectorAll('*').length,
  clientHandlers,
  tracks: tracks.filter(({ readyState }) => readyState === 'live').length,
});

const container = document.createElement('div');

/** Mounts a tree in Strict Mode until a component with the test id is there, and unmounts it. */
async function mountOnce(tree: ReactNode, testId: string): Promise<void> {
  const root = createRoot(container);
  root.render(<StrictMode>{tree}</StrictMode>);
  while (!container.querySelector(`[data-testid=${testId}]`))
    await new Promise((resolve) => setTimeout(resolve, 5));
  root.unmount();
}

/** Mounts and unmounts, and returns what is left after the tenth time and after the last time. */
async function mountTimes(times: number, tree: () => ReactNode, testId: string): Promise<[Left, Left]> {
  let early = left();
  for (let count = 1; count <= times; count += 1) {
    await mountOnce(tree(), testId);
    if (count === 10) early = await settled();
  }
  return [early, await settled()];
}

/** What is left after what ends with a delay has ended. */
async function settled(): Promise<Left> {
  for (let before = left(); ;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = left();
    if (JSON.stringify(before) === JSON.stringify(now)) return now;
    before = now;
  }
}

declare global {
  interface Window {
    /** A room, a chat and calls with the client of an app. */
    mountWithClient: (times: number, key: `0x${string}`, room: string, peer: string) => Promise<[Left, Left]>;
    /** A room with a client of the provider. */
    mountWithToken: (times: number, token: string, room: string) => Promise<[Left, Left]>;
  }
}

countHandlers();
document.body.append(container);

window.mountWithClient = async (times, key, room, peer) => {
  const client = new Parley({ apiKey: '' });
  await client.signIn(privateKeyToAccount(key));
  const on = client.on.bind(client);
  client.on = (name, handler) => {
    clientHandlers += 1;
    const off = on(name, handler);
    return () => {
      clientHandlers -= 1;
      off();
    };
  };
  return mountTimes(
    times,
    () => (
      <ParleyProvider client={client}>
        <Room id={room} />
        <Chat with={peer} hasCalls />
        <IncomingCalls />
        <CallScreen />
      </ParleyProvider>
    ),
    'join-room',
  );
};

window.mountWithToken = (times, token, room) =>
  mountTimes(
    times,
    () => (
      <ParleyProvider participantToken={token}>
        <Room id={room} />
      </ParleyProvider>
    ),
    'join-room',
  );
