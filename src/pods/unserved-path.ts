import {
  registeredHandler,
  registersConversion,
  skippedPart,
} from '../apiserver/sentences/logs/log-lines.ts';
import { firstResult } from '../basics/collections.ts';
import type { Callout } from '../facts/callout.ts';
import type { Container } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isOff } from '../facts/workloads/leaders.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { knownPods } from '../facts/workloads/replicas.ts';
import { brief, messageOfLine } from '../phrases/brief.ts';
import { containerOfPort, knownSettings } from './listening.ts';

/** A setting of a server because of which it does not serve a path. */
export interface UnservedPath {
  /**
   * `unlisted`: the setting lists the paths that are served; `switchedOff`: it turns the feature of the path off;
   * `skipped`: the log says that the program does not start it.
   */
  readonly id: 'unlisted' | 'switchedOff' | 'skipped';
  /** `--enabled-admission`, `INJECT_ENABLED=false`; of `skipped`, the log line. */
  readonly setting: string;
}

/** Settings that list paths for another purpose. */
const exempts = /skip|ignore|exempt|exclude|disable|allow|public|auth|health/i;
/** The words beside the feature in the name of a setting that turns it on or off. */
const switchWords = /^(?:enabled?|disabled?|webhooks?|server|admission|feature|no)$/i;

const firstAndLast = (path: string): readonly string[] => {
  const parts = path.split('/').filter(Boolean);
  return [parts.at(0) ?? '', parts.at(-1) ?? ''];
};

/** True for a list of paths of this kind that lacks the path: volcano's `--enabled-admission=/jobs/mutate,/jobs/validate`. */
function lacks(name: string, value: string, path: string): boolean {
  const listed = value.split(',').map((one) => one.trim());
  if (exempts.test(name) || listed.length < 2 || !listed.every((one) => /^\/\w/.test(one))) return false;
  const wanted = firstAndLast(path);
  return (
    !listed.includes(path) && listed.some((one) => firstAndLast(one).some((part) => wanted.includes(part)))
  );
}

/** The letters with which words of one feature begin: `inject`, `injection`; `convert`, `conversion`. */
const stemLength = 5;

/** True for a switch that is off and is named after the path: istiod's `INJECT_ENABLED=false` and `/inject`. */
function turnsOff(name: string, value: string, path: string): boolean {
  const words = name.split(/[-_]/);
  const [feature = '', ...others] = words.filter((word) => !switchWords.test(word));
  if (words.length < 2 || others.length > 0 || feature.length < stemLength) return false;
  const isDisabling = words.some((word) => /^(?:disabled?|no)$/i.test(word));
  if (value === '' || isOff(value) === isDisabling) return false;
  return isNamedAfter(path, feature);
}

/** True if a part of the path begins like the name of the feature. */
function isNamedAfter(path: string, feature: string): boolean {
  const stem = feature.slice(0, stemLength).toLowerCase();
  return path
    .toLowerCase()
    .split(/[/-]/)
    .some((part) => part.startsWith(stem));
}

/** The line of a log by which the program does not start the feature of a path; undefined if it logs none. */
function skippedBy(log: string, path: string): UnservedPath | undefined {
  const { line, part } = skippedPart(log) ?? {};
  return line !== undefined && part !== undefined && isNamedAfter(path, part)
    ? { id: 'skipped', setting: brief(messageOfLine(line)) }
    : undefined;
}

function unservedBy(container: Container, path: string): UnservedPath | undefined {
  for (const { name, value, shown, text } of knownSettings(container)) {
    if (lacks(name, value, path)) return { id: 'unlisted', setting: shown };
    if (turnsOff(name, value, path)) return { id: 'switchedOff', setting: text };
  }
  return undefined;
}

/** The path at which controller-runtime serves conversions (pkg/builder/webhook.go). */
const conversionPath = '/convert';

/**
 * True if the callout's program registers webhooks with controller-runtime, but not its conversions, and the path is theirs:
 * controller-runtime serves it if the scheme of the program has a hub and the versions that are converted to it
 * (pkg/webhook/conversion/conversion.go IsConvertible).
 */
export const registersNoConversion = (
  callout: Callout,
  { path, port }: { readonly path: string; readonly port: number },
  facts: Pick<Facts, 'pods' | 'logs'>,
): boolean =>
  callout.kind === 'conversion' &&
  path === conversionPath &&
  knownPods(callout, facts).some((pod) => {
    const container = containerOfPort(pod, port);
    const log = container === undefined ? '' : logOf(pod, container.name, facts);
    return registeredHandler(log) !== undefined && !registersConversion(log);
  });

/** The setting of the callout's Pods because of which they return 404 for a path; undefined if none shows it. */
export const unservedPath = (
  callout: Callout,
  { path, port }: { readonly path: string; readonly port: number },
  facts: Pick<Facts, 'pods' | 'logs'>,
): UnservedPath | undefined =>
  firstResult(knownPods(callout, facts), (pod) => {
    const container = containerOfPort(pod, port);
    return container && (unservedBy(container, path) ?? skippedBy(logOf(pod, container.name, facts), path));
  });
