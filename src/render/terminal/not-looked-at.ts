import { groupBy } from '../../basics/collections.ts';
import type { DoctorReport } from '../../diagnose/report.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import { apiReadText, type NotLookedAt, unreadText } from '../../facts/unread.ts';
import { counted, listed, namedList, noneChosen, noneFound } from '../../phrases/lists.ts';
import { type Style, wrap } from './style.ts';

/** Undefined for the whole cluster, several namespaces, or a single object. */
const namespaceOf = ({ what, allow }: NotLookedAt): string | undefined => {
  const [namespace, ...others] =
    (typeof what === 'object' && what.name === undefined && what.namespaces) || [];
  return allow?.namespace ?? (others.length === 0 ? namespace : undefined);
};

/** The resource that was not read, without its namespace. */
const kindOf = (item: NotLookedAt): string =>
  typeof item.what === 'object' && item.what.namespaces?.length === 1
    ? apiReadText(item.what)
    : unreadText(item);

/** Key for lines to merge: missing permissions on the same resource; otherwise the same kind and reason. */
function identity(item: NotLookedAt): string {
  const { why, allow } = item;
  if (allow === undefined) return JSON.stringify([why, kindOf(item)]);
  return JSON.stringify([why, allow.apiGroups, allow.resources, allow.namespace === undefined]);
}

/** `get and list secrets there`, with resources as `kubectl auth can-i` spells them. */
function permission(items: readonly [NotLookedAt, ...NotLookedAt[]]): string | undefined {
  const [{ allow }] = items;
  if (allow === undefined) return undefined;
  const paths = allow.nonResourceURLs ?? [];
  if (paths.length > 0) return `${listed(allow.verbs)} ${listed(paths)}`;
  const names = allow.resources.flatMap((resource) =>
    allow.apiGroups.map((group) => groupResourceOf({ group, resource })),
  );
  const verbs = [...new Set(items.flatMap((item) => item.allow?.verbs ?? []))].sort();
  const where = allow.namespace === undefined ? ' in the whole cluster' : ' there';
  return `${listed(verbs)} ${listed(names)}${where}`;
}

function where(items: readonly NotLookedAt[], all: boolean): string {
  const names = [...new Set(items.flatMap((item) => namespaceOf(item) ?? []))];
  return names.length === 0 ? '' : ` in ${namedList('namespace', names, all ? undefined : 4)}`;
}

function line(items: readonly [NotLookedAt, ...NotLookedAt[]], style: Style, all: boolean): string[] {
  const [first] = items;
  const kinds = new Set(items.map(kindOf));
  const what =
    kinds.size === 1 ? kindOf(first) : listed(first.allow?.resources ?? [counted(items.length, 'read')]);
  const place = where(items, all);
  const needs = permission(items);
  const detail = first.detail === undefined || needs !== undefined ? '' : ` (${first.detail})`;
  const allowing = needs === undefined ? '' : `, needs permission to ${needs}`;
  return wrap(`${what}${place}: ${first.why}${detail}${allowing}`, style.width, `  ${style.marks.unknown} `);
}

/** What could not be read, a line per group, with the missing permission. None of it reads as healthy. */
export function notLookedAtLines(items: readonly NotLookedAt[], style: Style, all: boolean): string[] {
  if (items.length === 0) return [];
  const groups = [...groupBy(items, identity).values()];
  return [style.paint.bold('Not examined'), ...groups.flatMap((group) => line(group, style, all))];
}

/** Why a report has no webhooks, or none of a named configuration. */
export function emptyLines({
  callouts,
  notLookedAt,
  withoutWebhooks = [],
  leftOut,
}: Pick<DoctorReport, 'notLookedAt' | 'withoutWebhooks' | 'leftOut'> & {
  readonly callouts: readonly unknown[];
}): string[] {
  const empty = withoutWebhooks.map((id) => `${id} has no webhooks, so the API server calls nothing for it.`);
  if (callouts.length > 0 || empty.length > 0) return empty;
  return [leftOut === undefined ? noneFound(notLookedAt) : noneChosen(leftOut)];
}
