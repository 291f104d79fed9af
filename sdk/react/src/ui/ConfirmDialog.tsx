import { useState, type ReactNode } from 'react';
import type { Action } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { Row, Stack } from './Basics.tsx';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

interface Props<Result> {
  title: string;
  action: Pick<Action<[], Result>, 'run' | 'isRunning' | 'problem'>;
  /** The name of the action, for example `Revoke key`. */
  label: string;
  /** The label of the button that closes the dialog. @default 'Cancel' */
  cancel?: string;
  /** Whether the action cannot be undone. @default true */
  isDanger?: boolean;
  onClose: () => void;
  /** Called after the action. @default onClose */
  onDone?: (result: Result) => void;
  /** Names the dialog (`…-dialog`) and the confirming button (`…-confirm`). */
  testId: string;
  /** The consequences. */
  children: ReactNode;
}

/**
 * Asks the user to confirm an action. The button that closes the dialog has the focus. If the action fails, the dialog says why. While it
 * runs, nothing closes the dialog, because that would not cancel it.
 */
export function ConfirmDialog<Result>(props: Props<Result>) {
  const words = useWords().common;
  const { title, action, label, cancel = words.cancel, isDanger = true, children } = props;
  const { onClose, onDone = onClose, testId } = props;
  // The action may have failed in an earlier dialog, and keeps that problem until it runs again.
  const [wasTried, setWasTried] = useState(false);
  const confirm = async () => {
    setWasTried(true);
    const result = await action.run();
    if (result !== null) onDone(result);
  };
  return (
    <Dialog title={title} onClose={onClose} isHeld={action.isRunning} data-testid={`${testId}-dialog`}>
      <Stack>
        {children}
        {wasTried && action.problem && <ProblemAlert problem={action.problem} />}
        <Row gap="0.75rem" style={{ justifyContent: 'flex-end' }}>
          <Button variant="outline" onClick={onClose} disabled={action.isRunning} autoFocus>
            {cancel}
          </Button>
          <Button
            isDanger={isDanger}
            isLoading={action.isRunning}
            onClick={() => void confirm()}
            data-testid={`${testId}-confirm`}
          >
            {label}
          </Button>
        </Row>
      </Stack>
    </Dialog>
  );
}
