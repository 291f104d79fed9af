import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Navigates, but only while the component is shown: an answer that comes late does not take users from where they have gone meanwhile. */
export function useNavigateHere(): (path: string) => void {
  const [, navigate] = useLocation();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (path) => {
    if (isShown.current) navigate(path);
  };
}
