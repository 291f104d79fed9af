import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

/** Switches between light and dark mode. The system's setting applies until the first click. */
export function ColourSchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const label = other === 'dark' ? 'Switch to dark mode' : 'Switch to light mode';
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="xl"
        aria-label={label}
        onClick={() => setColorScheme(other)}
      >
        {other === 'dark' ? <IconMoon size={20} /> : <IconSun size={20} />}
      </ActionIcon>
    </Tooltip>
  );
}
