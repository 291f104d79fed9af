import { useMediaQuery } from '@mantine/hooks';
import { BottomBar } from './BottomBar.tsx';
import classes from './Navigation.module.css';
import { PageGroups } from './PageGroups.tsx';
import { useNavigation } from './useNavigation.ts';

/** The navigation: a column next to the page or, on phones, a bar at the bottom, within reach of the thumb. */
export function Navigation() {
  const navigation = useNavigation();
  // Read during the first rendering, so that the page does not jump afterwards.
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  return isNarrow ? (
    <BottomBar {...navigation} />
  ) : (
    <nav className={classes['column']} aria-label="Main">
      <PageGroups {...navigation} />
    </nav>
  );
}
