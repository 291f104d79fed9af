// Here, because bundlers drop what index.ts imports for its effect alone.
import '../styles/theme.css';
import { Parley, type AppOptions, type GuestOptions } from '@parley/sdk';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { withOwnWords, type OwnWords } from '../words/english.ts';
import { WordsContext } from '../words/WordsContext.tsx';
import { servicesOf, type Services } from './Services.ts';

interface CommonProps {
  /** Words in place of the English ones, for example a translation. */
  words?: OwnWords;
  /** The colours. @default 'auto', which follows the system */
  theme?: 'auto' | 'light' | 'dark';
  /** Shows an error that has no place in a component, for example as a toast. @default console.error */
  onError?: (error: unknown) => void;
  children: ReactNode;
}

/** Either a client of the app, or the options of a client that the provider creates, and closes when it is unmounted. */
export type ParleyProviderProps = CommonProps &
  ({ client: Parley } | ({ client?: never } & (Partial<AppOptions> | GuestOptions)));

/** @internal */
export const ServicesContext = createContext<Services | null>(null);

/**
 * Gives all hooks and components below the client of one server.
 * @example
 * <ParleyProvider baseUrl="https://calls.example.org">
 *   <Room id={roomId} />
 * </ParleyProvider>
 */
export function ParleyProvider(props: ParleyProviderProps) {
  const { words: own, theme = 'auto', onError, children } = props;
  const client = useClient(props);
  const words = useMemo(() => withOwnWords(own), [own]);
  const report = onError ?? logError;
  const services = useMemo(() => servicesOf(client), [client]);
  useEffect(() => {
    services.use(words, report);
  }, [services, words, report]);
  useEffect(() => (theme === 'auto' ? undefined : fixTheme(theme)), [theme]);
  return (
    <ServicesContext.Provider value={services}>
      <WordsContext.Provider value={words}>{children}</WordsContext.Provider>
    </ServicesContext.Provider>
  );
}

/** The themes that the mounted providers fix. The page has one theme: that of the provider that was mounted last. */
const fixed: { theme: string }[] = [];

/** @returns a function that ends it */
function fixTheme(theme: string): () => void {
  const own = { theme };
  fixed.push(own);
  showTheme();
  return () => {
    fixed.splice(fixed.indexOf(own), 1);
    showTheme();
  };
}

function showTheme(): void {
  const { dataset } = document.documentElement;
  const last = fixed.at(-1);
  if (last) dataset['parleyTheme'] = last.theme;
  else delete dataset['parleyTheme'];
}

/** The app's client, or one of the provider's own. */
function useClient(props: ParleyProviderProps): Parley {
  const given = props.client;
  const {
    client: _,
    words: _words,
    theme: _theme,
    onError: _onError,
    children: _children,
    ...options
  } = props;
  const key = given ? '' : keyOf(options);
  const [own, setOwn] = useState(() => ({ key, client: given ? null : create(options) }));
  const isCurrent = own.key === key && (given ? own.client === null : own.client !== null);
  const current = isCurrent ? own : { key, client: given ? null : create(options) };
  if (!isCurrent) setOwn(current);
  const { client } = current;
  useEffect(() => {
    if (!client) return;
    cancelClose(client);
    // Strict mode unmounts and mounts once at the start, so the client is closed only if it stays unmounted. A hidden <Activity> keeps this
    // state, and needs another client once it is shown again.
    const forget = () => setOwn((now) => (now.client === client ? { key: '', client: null } : now));
    return () => closeSoon(client, forget);
  }, [client]);
  return given ?? (client as Parley);
}

/**
 * By this, options of the same client are equal. Functions such as getToken usually change with every render, but another one does not make
 * another client. Neither does another storage: the items that it contains are no options, but JSON would contain those of localStorage.
 */
function keyOf({ storage, ...options }: Partial<AppOptions>): string {
  return JSON.stringify({ ...options, hasStorage: storage !== undefined });
}

const create = (options: object) => new Parley({ apiKey: '', ...options });

const closing = new WeakMap<Parley, ReturnType<typeof setTimeout>>();

function closeSoon(client: Parley, onClosed: () => void): void {
  const close = () => {
    client.close();
    onClosed();
  };
  closing.set(client, setTimeout(close));
}

function cancelClose(client: Parley): void {
  clearTimeout(closing.get(client));
}

// oxlint-disable-next-line no-console -- the developer must see it, and may handle it with onError
const logError = (error: unknown) => console.error(error);

/** What the components below this provider share. @throws Error outside of a provider */
export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('This component needs a <ParleyProvider> around it.');
  return services;
}

/** The client of the provider. @throws Error outside of a provider */
export const useParley = (): Parley => useServices().client;
