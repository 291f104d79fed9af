import { CallScreen, IncomingCalls, useCall } from '@parley/react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { refresh } from '../data/refresh.ts';
import { useSessionController } from '../session/ParleyClient.tsx';
import classes from './CallLayer.module.css';

/** Shows the current call and the incoming calls above the pages, which are inert unless the call is minimised. */
export function CallLayer({ children }: { children: ReactNode }) {
  const session = useSessionController();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const { current, isMinimised, endings, hangUp } = useCall();
  useEffect(() => session.beforeSignOut(hangUp), [session, hangUp]);
  // The history of calls changes with each call that ends.
  useEffect(() => void refresh(queryClient, 'calls'), [queryClient, endings]);
  return (
    <>
      <div
        inert={current !== null && !isMinimised}
        className={classes['page']}
        data-under-call={current !== null && isMinimised}
      >
        {children}
      </div>
      <CallScreen onMoved={(room) => navigate(`/rooms/${room.id}`)} />
      <IncomingCalls />
    </>
  );
}
