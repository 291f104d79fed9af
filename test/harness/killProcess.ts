/** SIGKILL. A pid that is not there would be this process's whole group. */
export function killProcess(pid: number | undefined): void {
  if (!pid) throw new Error('There is no such process.');
  process.kill(pid, 'SIGKILL');
}
