/** Adds months to a time (UTC). Keeps the day of the month, or uses the last day if the resulting month is too short. */
export function addMonths(start: Date, months: number): Date {
  const day = start.getUTCDate();
  const moved = new Date(start);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const daysInMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, daysInMonth));
  return moved;
}
