import { useEffect, useLayoutEffect } from 'react';

/** `useLayoutEffect()`, without the warning of React 18 that it does nothing while rendering on a server. */
export const useBrowserLayoutEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;
