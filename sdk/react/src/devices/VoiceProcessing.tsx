import { Switch } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Devices.module.css';
import { useDevices } from './useDevices.ts';

const names = ['echoCancellation', 'noiseSuppression', 'autoGainControl'] as const;

/** How the browser processes the microphone: a group of switches that opens. */
export function VoiceProcessing() {
  const { processing, setProcessing } = useDevices();
  const words = useWords().devices;
  return (
    <details className={classes['processing']}>
      <summary data-testid="voice-processing">{words.voiceProcessing}</summary>
      <div className={classes['switches']} role="group" aria-label={words.voiceProcessing}>
        {names.map((name) => (
          <Switch
            key={name}
            label={words.processing[name]}
            checked={processing[name]}
            onChange={(isOn) => void setProcessing(name, isOn)}
            data-testid={`processing-${name}`}
          />
        ))}
        <p className={classes['note']}>{words.musicNote}</p>
      </div>
    </details>
  );
}
