import type { KeyboardEvent } from 'react';

/** The key code of every key that an input method handles. */
const ofInputMethod = 229;

/**
 * Whether an input method is composing a character, so that Enter confirms it. Safari reports that Enter when the composition has ended
 * already, and then only the key code tells.
 */
export const isComposing = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === ofInputMethod;
