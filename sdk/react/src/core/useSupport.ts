import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Whether the browser can do something; false while rendering on a server. @param check must be a constant */
export const useSupport = (check: () => boolean): boolean => useSyncExternalStore(never, check, () => false);
