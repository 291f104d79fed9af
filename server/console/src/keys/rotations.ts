import { Store } from '../session/Store.ts';

/** New key ids by the id of the key they replace. Deploying may take days, so a rotation outlives its dialog. */
type Rotations = Record<string, string>;

const storageKey = 'parley.rotations';

function read(): Rotations {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Rotations;
  } catch {
    return {};
  }
}

/** Stored in this browser: key ids, no secrets. */
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
