import { createContext, useContext } from 'react';
import { useStore } from '../core/Store.ts';
import type { StudioController, StudioState } from './StudioController.ts';

/** The controller of the studio on the page, for all components of the studio. */
export const StudioContext = createContext<StudioController | null>(null);

/** The studio around this component. @throws Error outside of a Studio */
export function useStudio(): { controller: StudioController; state: StudioState } {
  const controller = useContext(StudioContext);
  if (!controller) throw new Error('This component needs a <Studio> around it.');
  return { controller, state: useStore(controller.store) };
}
