import { counts, left, type Left } from './countLasting.ts';
import { CallScreen, Chat, IncomingCalls, ParleyProvider, Room } from '@parley/react';
import { Parley } from '@parley/sdk';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { privateKeyToAccount } from 'viem/accounts';

/* Runs in a page: mounts and unmounts components of @parley/react, and counts what is left. Bundled by reactLeaks.test.ts. */

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

document.body.append(container);

window.mountWithClient = async (times, key, room, peer) => {
  const client = new Parley({ apiKey: '' });
  await client.signIn(privateKeyToAccount(key));
  const on = client.on.bind(client);
  client.on = (name, handler) => {
    counts.clientHandlers += 1;
    const off = on(name, handler);
    return () => {
      counts.clientHandlers -= 1;
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
