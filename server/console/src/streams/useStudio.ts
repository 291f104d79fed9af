import { useStore } from '@parley/react';
import { createContext, useContext } from 'react';
import type { StudioController, StudioState } from './StudioController.ts';

/** The controller of the studio on the page, for all components of the studio. */
export const StudioContext = createContext<StudioController | null>(null);

export function useStudio(): { controller: StudioController; state: StudioState } {
  const controller = useContext(StudioContext);
  if (!controller) throw new Error('This component was used outside of a stream.');
  return { controller, state: useStore(controller.store) };
}
