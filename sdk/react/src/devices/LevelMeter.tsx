import { useRef } from 'react';
import classes from './Devices.module.css';
import { useAudioLevel } from './useAudioLevel.ts';

/** A bar that moves with the sound of a stream. */
export function LevelMeter({ stream }: { stream: MediaStream | null }) {
  const meter = useRef<HTMLDivElement>(null);
  useAudioLevel(stream, meter);
  return <div ref={meter} className={classes['level']} aria-hidden data-testid="mic-level" />;
}
