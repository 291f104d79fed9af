import { maxGroupMembers } from '@parley/sdk';
import { useEffect, useRef, useState } from 'react';
import { findCallees } from '../calls/findCallee.ts';
import { useParley } from '../core/ParleyProvider.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { useKnownPeople, type KnownPerson } from './useKnownPeople.ts';

export interface PeopleChoice {
  chosen: readonly string[];
  text: string;
  setText: (text: string) => void;
  /** What is wrong with the text. */
  refused: string | null;
  /** The people whose names contain the text, without those chosen. */
  suggestions: KnownPerson[];
  choose: (address: string) => void;
  unchoose: (address: string) => void;
  /** Chooses the people in the text as well. @returns all chosen, or null if `refused` says what is wrong, or the user has left */
  take: () => Promise<readonly string[] | null>;
}

const nobody: { chosen: readonly string[]; text: string } = { chosen: [], text: '' };

/** The state of a PeopleField. @param inGroup the wallets that are in the group already */
export function usePeopleChoice(inGroup: readonly string[]): PeopleChoice {
  const client = useParley();
  const words = useWords();
  const [{ chosen, text }, setChoice] = useState(nobody);
  /** The choice of this moment. That of a rendering may be older once a name has been looked up. */
  const latest = useRef(nobody);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const [refused, setRefused] = useState<string | null>(null);
  const callee = { ...words.callee, own: words.groups.isYou };
  const sought = text.trim().toLowerCase();
  const suggestions = useKnownPeople().filter(
    ({ address, name }) =>
      !chosen.includes(address) && !inGroup.includes(address) && name.toLowerCase().includes(sought),
  );
  const change = (changes: Partial<typeof nobody>) => {
    latest.current = { ...latest.current, ...changes };
    setChoice(latest.current);
    setRefused(null);
  };
  const refuse = (why: string) => {
    setRefused(why);
    return null;
  };
  const take = async () => {
    const found = sought === '' ? [] : await read();
    // Nobody is chosen after the user has left, while a name was looked up.
    if (found === null || !isShown.current) return null;
    const now = latest.current;
    const all = [...new Set([...now.chosen, ...found])];
    if (all.length === 0) return refuse(words.groups.nobody);
    if (all.length + inGroup.length > maxGroupMembers) return refuse(words.groups.tooMany(maxGroupMembers));
    change({ chosen: all, text: now.text === text ? '' : now.text });
    return all;
  };
  /** The people in the text: one by the name, or several by their addresses. */
  const read = async () => {
    const isAddress = /^(0x|eip155:)/.test(sought);
    const named = suggestions.filter(({ name }) => name.toLowerCase() === sought);
    const [only, another] = isAddress ? [] : named.length > 0 ? named : suggestions;
    if (another) return refuse(words.groups.severalNamed);
    if (only) return [only.address];
    const { addresses, problem } = await findCallees(client, text, { ...words, callee });
    if (problem !== null) return refuse(problem);
    return addresses.some((address) => inGroup.includes(address))
      ? refuse(words.groups.isInGroup)
      : addresses;
  };
  return {
    chosen,
    text,
    setText: (given) => change({ text: given }),
    refused,
    suggestions,
    choose: (address) => change({ chosen: [...latest.current.chosen, address], text: '' }),
    unchoose: (address) => change({ chosen: latest.current.chosen.filter((each) => each !== address) }),
    take,
  };
}
