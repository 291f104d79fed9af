import { VisuallyHidden } from '@mantine/core';
import { inDigits } from '../../../ui/numbers.ts';
import classes from './Usage.module.css';

interface Props {
  /** The heading of the first column. */
  first: string;
  rows: { name: string; requests: number; credits: number }[];
  /** Whether the table is visible. Screen readers read it even if it is hidden. */
  isShown: boolean;
}

export function UsageTable({ first, rows, isShown }: Props) {
  const table = (
    <table className={classes['table']} data-testid="usage-table">
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col">Requests</th>
          <th scope="col">Credits</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, requests, credits }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{inDigits(requests)}</td>
            <td>{inDigits(credits)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  return isShown ? table : <VisuallyHidden>{table}</VisuallyHidden>;
}
