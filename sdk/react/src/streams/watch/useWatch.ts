import { useEffect, useState } from 'react';
import { useServices } from '../../core/ParleyProvider.tsx';
import { useStore } from '../../core/Store.ts';
import { useSession, type Session } from '../../session/useSession.ts';
import { WatchController } from './WatchController.ts';
import type { WatchState } from './watchState.ts';

export interface WatchOptions {
  /** The stream. */
  id: string;
  /** The viewer token in the link of a private stream. */
  token?: string | null;
  /** The name shown to the host, for viewers who are signed in. */
  displayName?: string;
}

export interface Watch {
  controller: WatchController;
  state: WatchState;
  session: Session;
}

/** A stream that is watched, with its chat. */
export interface StreamControl extends WatchState, Pick<WatchController, 'show' | 'say' | 'retry'> {}

/**
 * Watches a stream while the component is mounted, as `<Stream>` does. `show(element)` plays it once `hasMedia` is true.
 * @param options the stream, and the token of a private one
 * @example
 * const { hasMedia, show } = useStream({ id });
 * const video = useRef<HTMLVideoElement>(null);
 * useEffect(() => (hasMedia && video.current ? show(video.current) : undefined), [hasMedia, show]);
 * return <video ref={video} muted playsInline />;
 */
export function useStream(options: WatchOptions): StreamControl {
  const { controller, state } = useWatch(options);
  const { show, say, retry } = controller;
  return { ...state, show, say, retry };
}

/** Watches a stream while the component is mounted: as the wallet or guest that is signed in, and otherwise without a wallet. */
export function useWatch({ id, token = null, displayName = '' }: WatchOptions): Watch {
  const services = useServices();
  const session = useSession();
  // An account without a wallet watches like a visitor.
  const isSignedIn = session.phase === 'signedIn' && (session.address !== null || session.guest !== null);
  const isSettled = session.phase !== 'signingIn';
  const create = () => new WatchController(services, { streamId: id, token, isSignedIn, displayName });
  const key = `${id} ${token} ${isSignedIn}`;
  const [made, setMade] = useState(() => ({ key, services, controller: create() }));
  const isCurrent = made.key === key && made.services === services;
  const current = isCurrent ? made : { key, services, controller: create() };
  if (!isCurrent) setMade(current);
  const { controller } = current;
  useEffect(() => {
    if (!isSettled) return;
    controller.open();
    const leave = () => controller.close();
    // The browser may keep the page that was left, and show it again when the user goes back.
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (persisted) controller.open();
    };
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', comeBack);
    return () => {
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('pageshow', comeBack);
      leave();
    };
  }, [controller, isSettled]);
  return { controller, state: useStore(controller.store), session };
}
