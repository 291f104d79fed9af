import classes from './Basics.module.css';

/** Shows that something is in progress. It is hidden from screen readers: say it in words beside it. */
export const Spinner = ({ size = 20 }: { size?: number }) => (
  <span className={classes['spinner']} style={{ width: size, height: size }} aria-hidden="true" />
);
