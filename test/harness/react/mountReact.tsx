import { counts, left, type Left } from './countLasting.ts';
import {
  CallScreen,
  Chat,
  IncomingCalls,
  ParleyProvider,
  Room,
  Studio,
  useCall,
  useGate,
  useParley,
} from '@parley/react';
import { Parley } from '@parley/sdk';
import { Activity, StrictMode, useEffect, version, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { privateKeyToAccount } from 'viem/accounts';
import { everything } from './everything.tsx';

/* Runs in a page, bundled by react.test.ts: mounts components of @parley/react with one version of React. */

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

/** How an app signs in without `<SignIn>`. */
export type SignedIn = 'getToken' | 'sessionToken' | 'storage';

declare global {
  interface Window {
    reactVersion: string;
    /** A room, a chat and calls with the client of an app. */
    mountWithClient: (times: number, key: `0x${string}`, room: string, peer: string) => Promise<[Left, Left]>;
    /** A room with a client of the provider. */
    mountWithToken: (times: number, token: string, room: string) => Promise<[Left, Left]>;
    /** A room with a client of the provider in an `<Activity>`, in which Next.js keeps the pages that were left. React 18 has none. */
    mountKept: (token: string, room: string) => Promise<void>;
    /** Shows or hides the room of mountKept(). @returns what is left then */
    showKept: (isShown: boolean) => Promise<Left>;
    /** A room that counts how often each tile renders, by its name. */
    mountRoom: (token: string, room: string) => void;
    tileRenders: Record<string, number>;
    /** A chat that counts how often each message renders, by its reaction. */
    mountChat: (key: `0x${string}`, peer: string) => Promise<void>;
    messageRenders: Record<string, number>;
    /** A room and a chat with a token of the app's backend, or with a session in an asynchronous storage. */
    mountSignedIn: (how: SignedIn, key: `0x${string}`, room: string, peer: string) => Promise<void>;
    /** Renders a provider with localStorage again: after an item has changed, and with another token. @returns the numbers of clients so far */
    renderStored: () => number[];
    /** Two providers with a theme of their own, of which the second one is unmounted first. @returns the page's theme after each step */
    mountThemes: () => (string | undefined)[];
    /** A room with the client of an app, which signs in when the room has asked for it. */
    mountAndSignIn: (key: `0x${string}`, room: string) => Promise<void>;
    /** A room that a wallet joins without its door. */
    mountAtOnce: (key: `0x${string}`, room: string) => Promise<void>;
    /** A room that a wallet joins, and whose session ends. @returns how often the room has called `onLeft` */
    mountAndSignOut: (key: `0x${string}`, room: string) => Promise<number>;
    /**
     * Shows which room's gate useGate() has read: of one room, and then of two others, of which the first one gets its answer last.
     * @returns what it shows with the answer for the first room, before those for the others, and after each of them
     */
    mountGates: (key: `0x${string}`) => Promise<string[]>;
    /** Shows calls, and a field for a wallet to call. @returns the wallet that is signed in */
    mountPhone: (key: `0x${string}`) => Promise<string>;
    /** Shows a chat, and the studio of a new stream of the wallet. */
    mountWallet: (key: `0x${string}`, peer: string) => Promise<void>;
    /** Signs the client of mountWallet() out, and in with another wallet. */
    changeWallet: (key: `0x${string}`) => Promise<void>;
    /** Takes over HTML that a server has rendered, by component. @returns what React complained about */
    hydrate: (key: `0x${string}`, html: Record<string, string>) => Promise<string[]>;
  }
}

document.body.append(container);
window.reactVersion = version;

async function signedIn(key: `0x${string}`): Promise<Parley> {
  const client = new Parley({ apiKey: '' });
  await client.signIn(privateKeyToAccount(key));
  return client;
}

window.mountWithClient = async (times, key, room, peer) => {
  const client = await signedIn(key);
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

window.mountKept = async (token, room) => {
  const root = createRoot(container);
  window.showKept = (isShown) => {
    root.render(
      <StrictMode>
        <Activity mode={isShown ? 'visible' : 'hidden'}>
          <ParleyProvider participantToken={token}>
            <Room id={room} />
          </ParleyProvider>
        </Activity>
      </StrictMode>,
    );
    return settled();
  };
  await window.showKept(true);
};

window.mountRoom = (token, room) => {
  window.tileRenders = {};
  // Each render of a tile names its button.
  const enlargeOne = (name: string) => {
    window.tileRenders[name] = (window.tileRenders[name] ?? 0) + 1;
    return `Enlarge ${name}`;
  };
  createRoot(container).render(
    <ParleyProvider participantToken={token} words={{ rooms: { enlargeOne } }}>
      <Room id={room} />
    </ParleyProvider>,
  );
};

window.mountChat = async (key, peer) => {
  const client = await signedIn(key);
  window.messageRenders = {};
  // Each render of a message names its reaction.
  const reaction = (emoji: string) => {
    window.messageRenders[emoji] = (window.messageRenders[emoji] ?? 0) + 1;
    return emoji;
  };
  createRoot(container).render(
    <ParleyProvider client={client} words={{ chats: { reaction } }}>
      <Chat with={peer} />
    </ParleyProvider>,
  );
};

window.mountSignedIn = async (how, key, room, peer) => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => Promise.resolve(kept.get(name) ?? null),
    setItem: (name: string, value: string) => Promise.resolve(void kept.set(name, value)),
    removeItem: (name: string) => Promise.resolve(void kept.delete(name)),
  };
  const before = new Parley({ apiKey: '', storage });
  const { token } = await before.signIn(privateKeyToAccount(key));
  before.close();
  const options = {
    getToken: { getToken: () => Promise.resolve(token) },
    sessionToken: { sessionToken: token },
  };
  createRoot(container).render(
    <StrictMode>
      <ParleyProvider {...(how === 'storage' ? { storage } : options[how])}>
        <Room id={room} />
        <Chat with={peer} />
      </ParleyProvider>
    </StrictMode>,
  );
};

window.mountThemes = () => {
  const roots = [createRoot(container), createRoot(document.createElement('div'))] as const;
  const theme = () => document.documentElement.dataset['parleyTheme'];
  const shown = (['dark', 'light'] as const).map((one, index) => {
    flushSync(() => roots[index]?.render(<ParleyProvider theme={one}>{null}</ParleyProvider>));
    return theme();
  });
  for (const root of [...roots].reverse()) {
    flushSync(() => root.unmount());
    shown.push(theme());
  }
  return shown;
};

window.renderStored = () => {
  const clients = new Set<Parley>();
  function Client() {
    clients.add(useParley());
    return null;
  }
  const root = createRoot(container);
  const render = (sessionToken: string) =>
    flushSync(() =>
      root.render(
        <ParleyProvider storage={localStorage} sessionToken={sessionToken} media={{}}>
          <Client />
        </ParleyProvider>,
      ),
    );
  return ['one', 'one', 'other'].map((token, index) => {
    localStorage.setItem('item', String(index));
    render(token);
    return clients.size;
  });
};

window.mountAndSignIn = async (key, room) => {
  const client = new Parley({ apiKey: '' });
  createRoot(container).render(
    <ParleyProvider client={client}>
      <Room id={room} />
    </ParleyProvider>,
  );
  while (!container.querySelector('[data-testid=sign-in-as-guest]:enabled'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  await client.signIn(privateKeyToAccount(key));
};

window.mountAtOnce = async (key, room) => {
  const client = await signedIn(key);
  createRoot(container).render(
    <StrictMode>
      <ParleyProvider client={client}>
        <Room id={room} name="Ben" prejoin={false} />
      </ParleyProvider>
    </StrictMode>,
  );
};

window.mountAndSignOut = async (key, room) => {
  const client = await signedIn(key);
  let left = 0;
  createRoot(container).render(
    <StrictMode>
      <ParleyProvider client={client}>
        <Room id={room} name="Ben" prejoin={false} onLeft={() => (left += 1)} />
      </ParleyProvider>
    </StrictMode>,
  );
  const shown = async (testId: string) => {
    while (!container.querySelector(`[data-testid=${testId}]`))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await shown('in-room');
  await client.signOut();
  await shown('sign-in-as-guest');
  return left;
};

window.mountGates = async (key) => {
  const client = await signedIn(key);
  const answers = new Map<string, () => void>();
  // Only here does the order of the answers differ from that of the requests for certain.
  client.conference.get = async (id) => {
    await new Promise<void>((resolve) => answers.set(id, resolve));
    return { gate: { type: 'token', chainId: 1, contractAddress: id, minBalance: '1' } } as never;
  };
  client.gatedRooms.checkAccess = () => Promise.resolve({} as never);
  function Gate({ id }: { id: string }) {
    const { gate } = useGate(id);
    return <p>{gate === null ? 'unknown' : 'contractAddress' in gate && gate.contractAddress}</p>;
  }
  const root = createRoot(container);
  const show = async (id: string) => {
    root.render(
      <ParleyProvider client={client}>
        <Gate id={id} />
      </ParleyProvider>,
    );
    while (!answers.has(id)) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const answer = async (id: string) => {
    answers.get(id)?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return container.textContent ?? '';
  };
  await show('first');
  const shown = [await answer('first')];
  await show('late');
  await show('latest');
  return [...shown, container.textContent ?? '', await answer('latest'), await answer('late')];
};

function Phone() {
  const { start } = useCall();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void start((event.currentTarget.elements[0] as HTMLInputElement).value, 'video');
      }}
    >
      <input data-testid="callee" />
      <button data-testid="start-video">Call</button>
    </form>
  );
}

window.mountPhone = async (key) => {
  const client = await signedIn(key);
  createRoot(container).render(
    <StrictMode>
      <ParleyProvider client={client}>
        <Phone />
        <IncomingCalls />
        <CallScreen />
      </ParleyProvider>
    </StrictMode>,
  );
  return client.session?.walletAddress ?? '';
};

window.mountWallet = async (key, peer) => {
  const client = await signedIn(key);
  window.changeWallet = async (other) => {
    await client.signOut();
    await client.signIn(privateKeyToAccount(other));
  };
  const { id } = await client.streaming.create({ title: 'Friday' });
  createRoot(container).render(
    <StrictMode>
      <ParleyProvider client={client}>
        <Chat with={peer} />
        <Studio id={id} />
      </ParleyProvider>
    </StrictMode>,
  );
};

/** Calls back when React has taken over the HTML of its child. */
function Hydrated({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  useEffect(onDone, [onDone]);
  return children;
}

window.hydrate = async (key, html) => {
  const complaints: string[] = [];
  let name = '';
  const complain = (...what: unknown[]) => complaints.push(`${name}: ${what.map(String).join(' ')}`);
  // oxlint-disable-next-line no-console -- this is where React complains
  console.error = complain;
  // What the server cannot know: a wallet in the browser, and that its user is signed in.
  Object.assign(window, { ethereum: { request: () => Promise.resolve([]) } });
  const client = await signedIn(key);
  for (const [next, element] of Object.entries(everything)) {
    name = next;
    container.innerHTML = html[name] ?? '';
    const root = await new Promise<Root>((resolve) => {
      const hydrating = hydrateRoot(
        container,
        <Hydrated onDone={() => resolve(hydrating)}>
          <ParleyProvider client={client} onError={() => undefined}>
            {element}
          </ParleyProvider>
        </Hydrated>,
        { onRecoverableError: complain },
      );
    });
    root.unmount();
  }
  return complaints;
};
