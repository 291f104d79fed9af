import { shortAddress } from '@parley/sdk';
import { useEffect } from 'react';
import { startTone } from './ringTone.ts';

/**
 * Signals a ringing call with a tone and, if it is incoming, in the tab's title.
 * @param caller the wallet of the first incoming call
 * @param isCalling whether an outgoing call is ringing
 */
export function useRinging(caller: string | null, isCalling: boolean): void {
  const tone = caller ? 'incoming' : isCalling ? 'outgoing' : null;
  useEffect(() => (tone ? startTone(tone) : undefined), [tone]);
  useEffect(() => (caller ? flashTitle(`☎ ${shortAddress(caller)} is calling`) : undefined), [caller]);
}

function flashTitle(text: string): () => void {
  const usual = document.title;
  const flash = () => {
    document.title = document.title === text ? usual : text;
  };
  flash();
  const timer = setInterval(flash, 1_000);
  return () => {
    clearInterval(timer);
    document.title = usual;
  };
}
