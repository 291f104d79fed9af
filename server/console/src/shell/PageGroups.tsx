import { IconExternalLink } from '@tabler/icons-react';
import { useId } from 'react';
import classes from './Navigation.module.css';
import { PageLink } from './PageLink.tsx';
import type { PageGroup } from './pages.ts';
import type { NavigationState } from './useNavigation.ts';

interface Props extends NavigationState {
  onFollow?: () => void;
}

/** Links to all pages, in groups with headings. */
export function PageGroups({ groups, ...rest }: Props) {
  return groups.map((group) => <Group key={group.label} group={group} {...rest} />);
}

function Group({ group, isCurrent, unreadOf, onFollow }: Omit<Props, 'groups'> & { group: PageGroup }) {
  const id = useId();
  return (
    <div className={classes['group']}>
      <span id={id} className={classes['heading']}>
        {group.label}
      </span>
      <ul className={classes['list']} aria-labelledby={id}>
        {group.pages.map((page) => (
          <li key={page.path}>
            <PageLink
              page={page}
              isCurrent={isCurrent(page)}
              unread={unreadOf(page)}
              {...(onFollow && { onFollow })}
            />
          </li>
        ))}
        {group.links?.map(({ label, icon: Icon, href }) => (
          <li key={href}>
            <a href={href} target="_blank" className={classes['link']}>
              <Icon size={20} stroke={1.75} aria-hidden />
              <span className={classes['label']}>{label}</span>
              <IconExternalLink size={14} role="img" aria-label="opens a new tab" />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
