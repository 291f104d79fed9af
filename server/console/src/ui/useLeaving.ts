import { useEffect, useState } from 'react';

/**
 * Whether the user is leaving for the page of another site. After Back, the browser may show this page as it was when it was left: then it
 * is false again.
 * @returns the state and its setter
 */
export function useLeaving(): [boolean, (isLeaving: boolean) => void] {
  const [isLeaving, setIsLeaving] = useState(false);
  useEffect(() => {
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (persisted) setIsLeaving(false);
    };
    window.addEventListener('pageshow', comeBack);
    return () => window.removeEventListener('pageshow', comeBack);
  }, []);
  return [isLeaving, setIsLeaving];
}
