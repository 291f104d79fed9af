import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useSignedIn } from '../session/ParleyClient.tsx';

const pages: Record<string, string> = {
  message: '/chats',
  voicemail: '/voicemail',
  conferenceInvite: '/rooms',
};

/** Leads to what a notification was about: one that was clicked while a page was open, or one that opened it. */
export function useNotificationClicks(): void {
  const { client } = useSignedIn();
  const [, navigate] = useLocation();
  const kind = new URLSearchParams(useSearch()).get('notification');
  useEffect(() => {
    if (kind !== null) navigate(pages[kind] ?? '/', { replace: true });
  }, [kind, navigate]);
  useEffect(
    () =>
      client.on('notification:clicked', ({ kind: clicked, id, from }) => {
        if (clicked === 'message') return navigate(`/chats/${from}`);
        if (clicked === 'conferenceInvite') return navigate(`/rooms/${id}`);
        navigate(pages[clicked] ?? '/');
      }),
    [client, navigate],
  );
}
