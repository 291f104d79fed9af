import { registerGlobals } from 'react-native-webrtc';

interface RandomSource {
  getRandomValues?: Crypto['getRandomValues'];
}

/** Metro provides `require`. A package whose `require` is in a `try` block may be missing from the app. */
declare const require: (name: string) => unknown;

/**
 * Installs what React Native lacks and `@parley/sdk` needs: the WebRTC globals of react-native-webrtc, and `crypto.getRandomValues` from
 * react-native-get-random-values or expo-crypto. Call it once, at the start of the app, before a client is created. Further calls have no
 * effect.
 * @throws Error if neither of the two packages is installed and the app has no `crypto.getRandomValues` of its own
 * @example
 * import { installParley } from '@parley/react-native';
 * installParley();
 */
export function installParley(): void {
  registerGlobals();
  const root = globalThis as { crypto?: RandomSource };
  if (root.crypto?.getRandomValues) return;
  const getRandomValues = findRandomValues();
  // react-native-get-random-values sets the global itself.
  if (!root.crypto?.getRandomValues) root.crypto = { ...root.crypto, getRandomValues };
}

function findRandomValues(): Crypto['getRandomValues'] {
  try {
    require('react-native-get-random-values');
    const { getRandomValues } = (globalThis as { crypto?: RandomSource }).crypto ?? {};
    if (getRandomValues) return getRandomValues;
  } catch {
    // This package is not installed.
  }
  try {
    const { getRandomValues } = require('expo-crypto') as RandomSource;
    if (getRandomValues) return getRandomValues;
  } catch {
    // Nor is this one.
  }
  throw new Error(
    'Parley needs random numbers. Install react-native-get-random-values (or expo-crypto, with Expo) and build the app again.',
  );
}
