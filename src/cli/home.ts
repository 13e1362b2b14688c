import { homedir } from 'node:os';

/**
 * Without HOME and without an entry in passwd, as a container's uid may be, `homedir()` throws, and libraries call it
 * while they are loaded. Container runtimes set / there.
 */
export function assumeHome(): void {
  try {
    homedir();
  } catch {
    process.env.HOME = '/';
  }
}
