import { Store, useStore } from '@parley/react';

const key = 'parley.noSound';

const isOff = () => {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
};

const isOn = new Store(!isOff());

function set(on: boolean): void {
  isOn.set(on);
  try {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, 'true');
  } catch {
    // Storage is blocked, so the choice lasts as long as the page.
  }
}

/** Whether new messages play a sound while this window is hidden. The choice belongs to this browser. */
export const useSoundSetting = () => ({ isOn: useStore(isOn), set });
