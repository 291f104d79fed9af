import type { Observable } from '@parley/sdk';
import { useSyncExternalStore } from 'react';

/** The current value of a state that changes. */
export const useObservable = <State>({ subscribe, get }: Observable<State>): State =>
  useSyncExternalStore(subscribe, get, get);
