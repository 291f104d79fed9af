import { playTone } from '../calls/ringTone.ts';
import { useEvent } from '../core/useEvent.ts';

/** Plays a short sound for a new message or voicemail while the window is hidden. @param isOn whether it does */
export function useMessageSound(isOn: boolean): void {
  const play = () => {
    if (isOn && document.visibilityState === 'hidden') playTone('message');
  };
  useEvent('message:received', play);
  useEvent('voicemail:received', play);
}
