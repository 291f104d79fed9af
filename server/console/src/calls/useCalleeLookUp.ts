import { findCallee, useParley, type Words } from '@parley/react';
import { useEffect, useRef, useState } from 'react';

type Callee = Awaited<ReturnType<typeof findCallee>>;

interface CalleeLookUp {
  /** Reads what is in the field. @returns null if the user has changed the field meanwhile, or has left the page */
  find: (text: string, words: Pick<Words, 'callee' | 'problems'>) => Promise<Callee | null>;
  isFinding: boolean;
  /** Called when the field is changed. */
  giveUp: () => void;
}

/** Finds the wallet that a field names. A name takes a while, and the answer must not be for another person than the field names by then. */
export function useCalleeLookUp(): CalleeLookUp {
  const client = useParley();
  const [isFinding, setFinding] = useState(false);
  /** Rises with each attempt, and ends the one before. */
  const attempt = useRef(0);
  const giveUp = () => {
    attempt.current += 1;
    setFinding(false);
  };
  useEffect(() => () => void (attempt.current += 1), []);
  const find: CalleeLookUp['find'] = async (text, words) => {
    const own = ++attempt.current;
    setFinding(true);
    const found = await findCallee(client, text, words);
    if (own !== attempt.current) return null;
    setFinding(false);
    return found;
  };
  return { find, isFinding, giveUp };
}
