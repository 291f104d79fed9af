import { Store } from '@parley/react';

/** The ids of new keys, by the id of the key that each one replaces. Deploying may take days, so a rotation outlives its dialog. */
type Rotations = Record<string, string>;

const storageKey = 'parley.rotations';

function read(): Rotations {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Rotations;
  } catch {
    return {};
  }
}

/** The rotations in progress. They are stored in this browser, as key ids without secrets. */
export const rotations = new Store<Rotations>(read());

export function beginRotation(oldId: string, newId: string): void {
  write({ ...rotations.get(), [oldId]: newId });
}

export function endRotation(oldId: string): void {
  const { [oldId]: _, ...others } = rotations.get();
  write(others);
}

function write(next: Rotations): void {
  rotations.set(next);
  localStorage.setItem(storageKey, JSON.stringify(next));
}
