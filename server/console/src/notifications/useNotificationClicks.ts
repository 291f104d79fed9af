import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useSignedIn } from '../session/ParleyClient.tsx';

const pages: Record<string, string> = {
  message: '/chats',
  group: '/chats',
  voicemail: '/voicemail',
  conferenceInvite: '/rooms',
};

/** Navigates to the subject of a clicked notification, whether the click opened the page or the page was already open. */
export function useNotificationClicks(): void {
  const { client } = useSignedIn();
  const [, navigate] = useLocation();
  const kind = new URLSearchParams(useSearch()).get('notification');
  useEffect(() => {
    if (kind !== null) navigate(pages[kind] ?? '/', { replace: true });
  }, [kind, navigate]);
  useEffect(
    () =>
      client.on('notification:clicked', ({ kind: clicked, id, from, group }) => {
        if (clicked === 'message') return navigate(`/chats/${group?.id ?? from}`);
        if (clicked === 'group') return navigate(`/chats/${id}`);
        if (clicked === 'conferenceInvite') return navigate(`/rooms/${id}`);
        navigate(pages[clicked] ?? '/');
      }),
    [client, navigate],
  );
}
