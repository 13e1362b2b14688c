import type { Forbidden } from '../../facts/rbac-denial.ts';

/** Text in a log may be quoted once more: `\"`. */
const quote = '\\\\*"';
const quoted = (name: string): string => `${quote}(?<${name}>[^"\\\\]*)${quote}`;
/** `NAME is forbidden: User "U" cannot V resource "R" in API group "G" in the namespace "N"` (endpoints/handlers/responsewriters/errors.go). */
const sentence = new RegExp(
  `is forbidden: User ${quote}system:serviceaccount:(?<home>[^:"\\\\]+):(?<account>[^"\\\\]+)${quote} cannot (?<verb>\\w+) ` +
    `resource ${quoted('resource')} in API group ${quoted('group')}(?: in the namespace ${quoted('namespace')})?`,
);

/** Reads the sentence with which the API server refuses a ServiceAccount, wherever in a text it stands. */
export function forbiddenIn(text: string): Forbidden | undefined {
  const found = sentence.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { home, account, verb = '', resource = '', group = '', namespace } = found;
  return {
    account: `${home}/${account}`,
    verb,
    resource: group === '' ? resource : `${resource}.${group}`,
    namespace,
  };
}
