import { used } from './recordAccess.ts';
import { ParleyProvider } from '@parley/react';
import { Parley } from '@parley/sdk';
import { version, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { everything, forgotten } from './everything.tsx';

/* Runs in Node, bundled by renderOnServer.ts: renders everything of @parley/react, and prints what it did. */

export interface Rendered {
  /** The version of React. */
  version: string;
  /** The exports that were not rendered. */
  forgotten: string[];
  /** The HTML by component: with the app's client, and with a client of the provider. */
  html: Record<'app' | 'provider', Record<string, string>>;
  /** The globals of a browser, and the timers, that were used. */
  used: string[];
  /** What keeps the process alive: sockets, timers. */
  open: string[];
  /** How many handlers of the client the second rendering of everything left. */
  handlers: number;
}

// At the level of the module, as an app has it. On a server there is no origin to take the address from.
const client = new Parley({ apiKey: '' });
let handlers = 0;
const on = client.on.bind(client);
client.on = (name, handler) => {
  handlers += 1;
  const off = on(name, handler);
  return () => {
    handlers -= 1;
    off();
  };
};

const renderAll = (around: (element: ReactElement) => ReactElement) =>
  Object.fromEntries(
    Object.entries(everything).map(([name, element]) => [name, renderToString(around(element))]),
  );
const withClient = (element: ReactElement) => <ParleyProvider client={client}>{element}</ParleyProvider>;

const html = {
  app: renderAll(withClient),
  provider: renderAll((element) => <ParleyProvider>{element}</ParleyProvider>),
};
const shared = handlers;
renderAll(withClient);
const rendered: Rendered = {
  version,
  forgotten,
  html,
  used: [...used],
  // The pipes are those of this program's output.
  open: process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap'),
  handlers: handlers - shared,
};
process.stdout.write(JSON.stringify(rendered));
