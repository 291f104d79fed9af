/** Sends SIGKILL. Throws without a pid: kill(0) would kill this process's whole group. */
export function killProcess(pid: number | undefined): void {
  if (!pid) throw new Error('the process has no pid');
  process.kill(pid, 'SIGKILL');
}
