import { identityOf } from '../people/identity.ts';
import classes from './Groups.module.css';

interface Props {
  id: string;
  /** The name of the group; its first character is shown. */
  name: string;
  /** A number of pixels. */
  size: number;
}

/** A square with the first character of the group’s name, in a colour that is computed from its id. */
export const GroupAvatar = ({ id, name, size }: Props) => (
  <span
    className={classes['avatar']}
    style={{ width: size, height: size, fontSize: size * 0.45, background: identityOf(id).background }}
    aria-hidden
    data-testid="group-avatar"
  >
    {[...name.trim()][0]?.toUpperCase()}
  </span>
);
