import { createContext, useContext } from 'react';
import type { LiveStream } from '@parley/sdk';
import { useServices } from '../core/ParleyProvider.tsx';
import { Store, useStore } from '../core/Store.ts';
import { createStreams } from './StreamsController.ts';
import type { StudioController, StudioState } from './StudioController.ts';

/** The controller of the studio on the page, for all components of the studio. */
export const StudioContext = createContext<StudioController | null>(null);

/** The studio around this component. @throws Error outside of a Studio */
export function useStudio(): { controller: StudioController; state: StudioState } {
  const controller = useContext(StudioContext);
  if (!controller) throw new Error('This component needs a <Studio> around it.');
  return { controller, state: useStore(controller.store) };
}

const nothing = new Store<StudioState | null>(null);

/** The stream that this device sends; null if it sends none. It continues while its studio is not shown. */
export function useSentStream(): LiveStream | null {
  const controller = useStore(useServices().get(createStreams).sent);
  const state = useStore((controller?.store as Store<StudioState | null> | undefined) ?? nothing);
  return state?.sending === 'yes' ? state.stream : null;
}
