import { useEffect } from 'react';
import { flashTitle } from './flashTitle.ts';
import { startTone } from './ringTone.ts';

/**
 * Signals a ringing call with a tone and, if it is incoming, in the tab's title.
 * @param title the title for an incoming call; null if none rings
 * @param isCalling whether an outgoing call is ringing
 */
export function useRinging(title: string | null, isCalling: boolean): void {
  const tone = title ? 'incoming' : isCalling ? 'outgoing' : null;
  useEffect(() => (tone ? startTone(tone) : undefined), [tone]);
  useEffect(() => (title ? flashTitle(title) : undefined), [title]);
}
