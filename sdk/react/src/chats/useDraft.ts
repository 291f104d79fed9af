import { useEffect, useState } from 'react';
import type { ChatController } from './ChatController.ts';

/** What the user has written and chosen, but not sent. */
export interface Draft {
  text: string;
  /** Files chosen, pasted or dropped. */
  files: File[];
}

type Drafts = ReadonlyMap<string, Draft>;

const none: Draft = { text: '', files: [] };
/** The drafts in each chat, by wallet. They stay while another chat or page is shown. */
const kept = new WeakMap<ChatController, Drafts>();

/**
 * The draft in a chat.
 * @param own the signed-in wallet
 * @returns the draft, and a function that changes it
 */
export function useDraft(chat: ChatController, own: string) {
  const [drafts, setDrafts] = useState<Drafts>(() => kept.get(chat) ?? new Map<string, Draft>());
  useEffect(() => void kept.set(chat, drafts), [chat, drafts]);
  const of = (all: Drafts) => all.get(own) ?? none;
  const change = (changed: (draft: Draft) => Partial<Draft>) =>
    setDrafts((all) => new Map(all).set(own, { ...of(all), ...changed(of(all)) }));
  return [of(drafts), change] as const;
}
