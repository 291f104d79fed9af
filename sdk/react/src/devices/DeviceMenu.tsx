import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useState } from 'react';
import { Popover } from '../ui/Popover.tsx';
import { StageButton } from '../ui/StageButton.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { DeviceSettings } from './DeviceSettings.tsx';

interface Props {
  /** The own microphone, for the level meter. */
  local: MediaStream | null;
  isDisabled?: boolean;
}

/** A round button on a dark stage that opens the choice of devices. */
export function DeviceMenu({ local, isDisabled = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const words = useWords().devices;
  const button = (
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
    <Popover
      side="top"
      label={words.choose}
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={button}
      data-testid="device-settings"
    >
      <DeviceSettings local={local} />
    </Popover>
  );
}
