import { useMediaQuery } from '../ui/useMediaQuery.ts';
import { useDevices } from './useDevices.ts';

/** Switches to the next camera of a phone. @returns null on other devices, and if there is no other camera */
export function useFlipCamera(): (() => void) | null {
  const { cameras, choose } = useDevices();
  const isPhone = useMediaQuery('(hover: none) and (pointer: coarse)');
  const next = cameras[(cameras.findIndex(({ isChosen }) => isChosen) + 1) % cameras.length];
  if (!isPhone || cameras.length < 2 || !next) return null;
  return () => void choose('camera', next.id);
}
