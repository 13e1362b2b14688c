import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A separate directory for one test file. */
export interface Workspace {
  readonly directory: string;
  /**
   * Writes a file, given as text or as a value to be written as JSON (which is also YAML); returns its path.
   */
  write(name: string, content: string | object): string;
  /** Writes an executable shell script; returns its path. */
  script(name: string, lines: string): string;
  remove(): void;
}

export function workspace(): Workspace {
  const directory = mkdtempSync(join(tmpdir(), 'kube-'));
  const write = (name: string, content: string | object): string => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  return {
    directory,
    write,
    script(name, lines) {
      const path = write(name, `#!/bin/sh\n${lines}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export interface Entries {
  readonly clusters?: Readonly<Record<string, object>>;
  readonly users?: Readonly<Record<string, object>>;
  readonly contexts?: Readonly<Record<string, object>>;
  readonly current?: string;
}

/** A kubeconfig as data. */
export function kubeconfig({ clusters = {}, users = {}, contexts = {}, current }: Entries): object {
  const named = (key: string, entries: Readonly<Record<string, object>>) =>
    Object.entries(entries).map(([name, value]) => ({ name, [key]: value }));
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named('cluster', clusters),
    users: named('user', users),
    contexts: named('context', contexts),
    ...(current === undefined ? {} : { 'current-context': current }),
  };
}

/** One cluster, one user, and the current context. */
export function simpleKubeconfig(cluster: object, user: object = {}): object {
  return kubeconfig({
    clusters: { c: cluster },
    users: { u: user },
    contexts: { x: { cluster: 'c', user: 'u' } },
    current: 'x',
  });
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
