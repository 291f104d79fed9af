import type { DeviceInfo, DeviceKind } from '@parley/sdk';
import { useId } from 'react';
import { Select, Switch } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { EffectName } from './DeviceController.ts';
import classes from './Devices.module.css';
import { LevelMeter } from './LevelMeter.tsx';
import { VoiceProcessing } from './VoiceProcessing.tsx';
import { useDevices, type DeviceChoice } from './useDevices.ts';

interface Props {
  /** @default true */
  hasMicrophone?: boolean;
  /** @default true */
  hasCamera?: boolean;
  /** The stream whose sound moves the level meter: the own microphone. @default no meter */
  local?: MediaStream | null;
}

/** The choice of microphone, camera and speaker while a call or room runs, with a level meter and effects. */
export function DeviceSettings({ hasMicrophone = true, hasCamera = true, local = null }: Props) {
  const devices = useDevices();
  const words = useWords().devices;
  return (
    <div className={classes['settings']}>
      {hasMicrophone && (
        <>
          <Choice kind="microphone" found={devices.microphones} devices={devices} />
          {local && <LevelMeter stream={local} />}
          <EffectSwitch name="noise" devices={devices} />
          <VoiceProcessing />
        </>
      )}
      {hasCamera && (
        <>
          <Choice kind="camera" found={devices.cameras} devices={devices} />
          <EffectSwitch name="blur" devices={devices} />
        </>
      )}
      {/* Only some browsers let a page choose the speaker. */}
      {devices.speakers.length > 0 && <Choice kind="speaker" found={devices.speakers} devices={devices} />}
      <p className={classes['note']}>{words.effectsNote}</p>
    </div>
  );
}

interface ChoiceProps {
  kind: DeviceKind;
  found: DeviceInfo[];
  devices: DeviceChoice;
}

function Choice({ kind, found, devices }: ChoiceProps) {
  const words = useWords().devices;
  const label = words[kind];
  const options = found.map(({ id, label: name }, index) => ({
    value: id,
    label: name || words.numbered(label, index + 1),
  }));
  return (
    <Select
      label={label}
      options={options.length > 0 ? options : [{ value: '', label: words.noneFound }]}
      disabled={options.length === 0}
      value={found.find(({ isChosen }) => isChosen)?.id ?? ''}
      onChange={({ currentTarget }) => void devices.choose(kind, currentTarget.value)}
      data-testid={`choose-${kind}`}
    />
  );
}

function EffectSwitch({ name, devices }: { name: EffectName; devices: DeviceChoice }) {
  const words = useWords().devices;
  const id = useId();
  return (
    <Switch
      id={id}
      label={words[name]}
      {...(devices.loading === name ? { hint: words.loading } : {})}
      checked={devices.effects[name]}
      disabled={devices.loading !== null}
      onChange={(isOn) => void devices.setEffect(name, isOn)}
      data-testid={`effect-${name}`}
    />
  );
}
