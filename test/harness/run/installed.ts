import { findTool, type Tool } from '../../../platform/system/findTool.mjs';

/** The path of a program that set-up has installed for tests. */
export function installed(tool: Tool): string {
  const path = findTool(tool);
  if (!path) throw new Error(`${tool} is not installed: run npm test, which installs it or explains how to`);
  return path;
}
