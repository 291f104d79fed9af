import { findTool, type Tool } from '../../platform/system/findTool.mjs';

/** Where a program that set-up provides for tests is. */
export function installed(tool: Tool): string {
  const path = findTool(tool);
  if (!path) throw new Error(`${tool} is not installed: npm test installs it, or says how`);
  return path;
}
