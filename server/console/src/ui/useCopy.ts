import { copyText } from '@parley/react';
import { useEffect, useState } from 'react';
import { report } from './report.ts';

const shownMs = 1_500;

/** Copies a text. `isCopied` is true for a moment afterwards; a failure is reported. */
export function useCopy(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return { isCopied, copy: () => void copyText(text).then(() => setIsCopied(true), report) };
}
