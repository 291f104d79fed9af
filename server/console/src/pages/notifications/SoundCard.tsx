import { Switch } from '@mantine/core';
import { useSoundSetting } from '../../notifications/useSoundSetting.ts';
import { Section } from '../../ui/Section.tsx';

/** Turns the sound of new messages on or off. */
export function SoundCard() {
  const sound = useSoundSetting();
  return (
    <Section title="Sound">
      <Switch
        label="Sound for new messages"
        description="A short sound while this window is hidden. Applies to this browser."
        checked={sound.isOn}
        onChange={({ currentTarget }) => sound.set(currentTarget.checked)}
        data-testid="message-sound"
      />
    </Section>
  );
}
