import type { KubeObject } from '../../cluster/client.ts';
import type { Scene } from '../../cluster/scene.ts';
import type { Need } from '../../cluster/ways-in.ts';
import type { Authority } from '../../support/certificates.ts';

/** The result of a command. */
export interface Typed {
  readonly code: number | null;
  /** Standard output and errors, as a terminal shows them. */
  readonly output: string;
}

/** The tools of a case: a real cluster, a shell, and the page that is recorded. */
export interface Stage {
  readonly scene: Scene;
  readonly kubeconfig: string;
  readonly ca: Authority;
  /** The real name of one of the case's namespaces. */
  home(name: string): string;
  /** The scene, with this namespace as the default. */
  inside(name: string): Scene;
  /** A text that differs between runs, and its replacement on the page. */
  mask(real: string, shown: string): void;
  /** Adds a paragraph to the page. */
  tell(text: string): void;
  /** Writes a file in the working directory, and shows it on the page. */
  file(name: string, text: string): void;
  /** Writes a file that the page does not show. */
  write(name: string, text: string): void;
  /** Runs a command that the page does not show. */
  look(command: string): Promise<Typed>;
  /** Runs a command, and shows it with its output: `kubectl` and `kubectl webhook` are the real ones. */
  type(command: string): Promise<Typed>;
}

/** An outage that happened: created on a real cluster, diagnosed and fixed. */
export interface Case {
  /** kebab-case; also the page's name. */
  readonly name: string;
  readonly title: string;
  /**
   * Namespaces as the page names them, of 13 characters like the real ones, so that lines wrap in the same
   * way.
   */
  readonly namespaces: readonly [string, ...string[]];
  /** Requirements beyond a node. */
  readonly needs?: Need;
  /** Causes the outage, runs the commands, and checks their output. Throws if it is not as expected. */
  play(stage: Stage): Promise<void>;
}

/** The name of an object. */
export const named = (apiVersion: string, kind: string, namespace: string, name: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
});

export const only = (...namespaces: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }],
});
