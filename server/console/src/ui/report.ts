import { notifications } from '@mantine/notifications';
import { explain } from './explain.ts';

/** Shows an error that has no place on the page. */
export function report(error: unknown): void {
  const { title, advice } = explain(error);
  notifications.show({ title, message: advice, color: 'brick', autoClose: 8_000 });
}
