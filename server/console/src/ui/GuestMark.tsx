import classes from './People.module.css';

/** Marks a person who has no wallet, but came with a link of the host. */
export const GuestMark = () => (
  <span className={classes['guestMark']} title="Came with a guest link, without a wallet">
    Guest
  </span>
);
