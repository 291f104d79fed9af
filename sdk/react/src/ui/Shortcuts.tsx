import { Dialog } from './Dialog.tsx';
import classes from './Overlays.module.css';

interface Props {
  title: string;
  keys: readonly (readonly [key: string, effect: string])[];
  onClose: () => void;
}

/** A dialog that lists keyboard shortcuts. */
export const Shortcuts = ({ title, keys, onClose }: Props) => (
  <Dialog title={title} onClose={onClose} data-testid="shortcuts">
    <dl className={classes['shortcuts']}>
      {keys.map(([key, effect]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
