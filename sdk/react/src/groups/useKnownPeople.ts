import type { Parley, SavedContact } from '@parley/sdk';
import { isGroup } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { useConversations } from '../chats/useChat.ts';
import { useParley } from '../core/ParleyProvider.tsx';
import { partyName } from '../people/partyName.ts';
import { usePeople } from '../people/usePeople.ts';

export interface KnownPerson {
  address: string;
  name: string;
}

/** The people to suggest: those of the latest chats, then the saved contacts. */
export function useKnownPeople(): KnownPerson[] {
  const client = useParley();
  const [contacts, setContacts] = useState<SavedContact[]>([]);
  useEffect(() => {
    let isCurrent = true;
    // Without them, people can still be named by their addresses.
    contactsOf(client).then(
      (all) => isCurrent && setContacts(all),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [client]);
  const { conversations } = useConversations();
  const peers = (conversations ?? []).map((each) => each.with).filter((peer) => !isGroup(peer));
  const people = usePeople(peers);
  const known = new Map<string, string>();
  for (const peer of peers) known.set(peer, people.get(peer)?.name ?? partyName(peer));
  for (const { walletAddress, name } of contacts) known.set(walletAddress, name);
  return [...known].map(([address, name]) => ({ address, name }));
}

async function contactsOf(client: Parley): Promise<SavedContact[]> {
  const all: SavedContact[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.people.contacts>> = await client.people.contacts({
      limit: 100,
      ...(cursor !== null && { cursor }),
    });
    all.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}
