import type { DeviceInfo, DeviceKind } from '@parley/sdk';
import { IconAdjustmentsHorizontal, IconBackground, IconWaveSine } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/Menu.tsx';
import { StageButton } from '../ui/StageButton.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Devices.module.css';
import { LevelMeter } from './LevelMeter.tsx';
import { useDevices, type DeviceChoice } from './useDevices.ts';

interface ItemsProps {
  /** The own camera and microphone, for the level meter; null while there are none. */
  local: MediaStream | null;
  /** Which kinds to show. @default microphone, camera and speaker */
  kinds?: readonly DeviceKind[];
  /** The kinds that are off. A choice takes effect when the device is switched on. */
  off?: readonly DeviceKind[];
}

interface Props extends ItemsProps {
  isDisabled?: boolean;
  /** The button. @default a round button on a dark stage */
  trigger?: ReactElement;
}

/** A menu to choose the devices while a call or room runs, with a level meter and effects. */
export function DeviceMenu({ isDisabled = false, trigger, ...items }: Props) {
  const [isOpen, setOpen] = useState(false);
  const words = useWords().devices;
  const button = trigger ?? (
    <StageButton
      label={words.choose}
      hint={words.chooseHint}
      hasNoHint={isOpen}
      disabled={isDisabled}
      data-testid="devices"
    >
      <IconAdjustmentsHorizontal aria-hidden />
    </StageButton>
  );
  return (
    <Menu side="top" align="center" isOpen={isOpen} onOpenChange={setOpen} trigger={button}>
      <DeviceItems {...items} />
    </Menu>
  );
}

const allKinds = ['microphone', 'camera', 'speaker'] as const;

/** The entries of a menu with the devices. */
export function DeviceItems({ local, kinds = allKinds, off = [] }: ItemsProps) {
  const devices = useDevices();
  const words = useWords().devices;
  const has = (kind: DeviceKind) => kinds.includes(kind);
  return (
    <>
      {has('microphone') && (
        <>
          <Choices kind="microphone" found={devices.microphones} devices={devices} off={off} />
          {!off.includes('microphone') && local && (
            <div className={classes['menuLevel']}>
              <LevelMeter stream={local} />
            </div>
          )}
        </>
      )}
      {has('camera') && <Choices kind="camera" found={devices.cameras} devices={devices} off={off} />}
      {/* Only some browsers let a page choose the speaker. */}
      {has('speaker') && devices.speakers.length > 0 && (
        <Choices kind="speaker" found={devices.speakers} devices={devices} off={off} />
      )}
      <MenuSeparator />
      <MenuLabel>{words.effects}</MenuLabel>
      {has('microphone') && <Effect name="noise" devices={devices} icon={<IconWaveSine size={18} aria-hidden />} />}
      {has('camera') && <Effect name="blur" devices={devices} icon={<IconBackground size={18} aria-hidden />} />}
    </>
  );
}

interface ChoicesProps {
  kind: DeviceKind;
  found: DeviceInfo[];
  devices: DeviceChoice;
  off: readonly DeviceKind[];
}

function Choices({ kind, found, devices, off }: ChoicesProps) {
  const words = useWords().devices;
  const label = words[kind];
  return (
    <>
      <MenuLabel>{off.includes(kind) ? words.off(label) : label}</MenuLabel>
      {found.length === 0 && <MenuItem isDisabled>{words.noneFound}</MenuItem>}
      {found.map(({ id, label: name, isChosen }, index) => (
        <MenuItem
          key={id}
          isChecked={isChosen}
          onSelect={() => void devices.choose(kind, id)}
          data-testid={`device-${kind}`}
        >
          {name || words.numbered(label, index + 1)}
        </MenuItem>
      ))}
    </>
  );
}

interface EffectProps {
  name: 'noise' | 'blur';
  devices: DeviceChoice;
  icon: ReactElement;
}

function Effect({ name, devices, icon }: EffectProps) {
  const words = useWords().devices;
  const isOn = devices.effects[name];
  return (
    <MenuItem
      icon={icon}
      isChecked={isOn}
      isDisabled={devices.loading !== null}
      staysOpen
      onSelect={() => void devices.setEffect(name, !isOn)}
      data-testid={`effect-${name}`}
    >
      {devices.loading === name ? words.loading(words[name]) : words[name]}
    </MenuItem>
  );
}
