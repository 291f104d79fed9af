import { useEffect, useRef, useState } from 'react';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { explain, type Problem } from '../ui/explain.ts';

export type Recording =
  | { is: 'ready'; problem: Problem | null }
  /** Waiting for the user to allow access to the microphone. */
  | { is: 'asking' }
  | { is: 'recording'; since: number; stream: MediaStream }
  /** `part`: the uploaded share, from 0 to 1. */
  | { is: 'sending'; part: number }
  | { is: 'sent' };

export const longestSeconds = 120;

/** Records a voicemail and uploads it. A recording or upload in progress is discarded when the component unmounts. */
export function useRecording(to: string) {
  const { client } = useSignedIn();
  const [state, setState] = useState<Recording>({ is: 'ready', problem: null });
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(new Error('given up')), []);
  const start = async () => {
    const own = new AbortController();
    controller.current = own;
    const set = (next: Recording) => {
      if (!own.signal.aborted) setState(next);
    };
    set({ is: 'asking' });
    try {
      await client.voicemail.record({
        to,
        maxDuration: longestSeconds,
        signal: own.signal,
        onStart: (stream) => set({ is: 'recording', since: Date.now(), stream }),
        onProgress: ({ loaded, total }) => set({ is: 'sending', part: loaded / total }),
      });
      set({ is: 'sent' });
    } catch (error) {
      set({ is: 'ready', problem: explain(error) });
    }
  };
  const stop = () => {
    setState({ is: 'sending', part: 0 });
    void client.voicemail.stop();
  };
  const cancel = () => {
    controller.current?.abort(new Error('given up'));
    setState({ is: 'ready', problem: null });
  };
  return { state, start, stop, cancel };
}
